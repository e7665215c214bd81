import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type Client, createClient, unwrap } from "../../../client/src/card-issuing.ts";
import { CardForm, CardholderStatus, EventType, Gender } from "../../../shared/contract/enums.ts";
import type { Connection } from "../../command-line/connection.ts";
import { CannotRun, UsageError } from "../../command-line/options.ts";
import { say, sayStep } from "../../command-line/print.ts";
import type { ScenarioName } from "./scenario-names.ts";

/** With the money that each story needs. */
const startingBalance = 20_000;

export async function playScenario(connection: Connection, name: ScenarioName, given?: string) {
  if (name in atBank && given !== undefined) throw new UsageError(`The story ${name} has no Card.`);
  const { baseUrl, cert, key, ca, programApiKey } = connection;
  const client = createClient({
    baseUrl,
    certificate: readFileSync(cert),
    key: readFileSync(key),
    authority: readFileSync(ca),
    apiKey: programApiKey,
  });
  try {
    await atBank[name]?.(client);
    const story = onCard[name];
    if (story === undefined) return;
    const cardId = await findCard(client, given);
    say(`On Card ${cardId}:`);
    await story({ client, cardId });
  } finally {
    await client.close();
  }
}

/** @throws CannotRun if there is no such Card */
async function findCard(client: Client, given?: string): Promise<string> {
  if (given === undefined) return await issueCard(client);
  const params = { path: { cardId: given } };
  const { response } = await client.GET("/cards/{cardId}", { params });
  if (response.status === 404) throw new CannotRun(`The demo Program has no Card ${given}.`);
  return given;
}

/** A new Cardholder's virtual Card, Active and loaded. */
async function issueCard(client: Client): Promise<string> {
  const person = {
    firstName: "Trigger",
    lastName: "Story",
    dateOfBirth: "1990-01-01",
    gender: Gender.female,
  } as const;
  const contact = {
    email: "story@example.com",
    phone: "+442079460000",
    address: { line1: "1 Example Street", city: "London", postalCode: "SW1Y 4JH", country: "GB" },
  };
  const { data: cardholder } = await unwrap(client.POST("/cardholders", { body: { ...person, ...contact } }));
  const params = { path: { cardholderId: cardholder.cardholderId } };
  await unwrap(client.POST("/cardholders/{cardholderId}/submit", { params }));
  await unwrap(
    client.POST("/sandbox/cardholders/{cardholderId}/kyc-outcome", {
      params,
      body: { status: CardholderStatus.approved },
    }),
  );
  const order = { ...params.path, cardForm: CardForm.virtual, cardType: 0 } as const;
  const { data: card } = await unwrap(client.POST("/cards", { body: order }));
  const { cardId } = card;
  const money = { params: { path: { cardId } }, body: { amount: startingBalance, pending: false } };
  await unwrap(client.POST("/sandbox/cards/{cardId}/deposits", money));
  return cardId;
}

const cardStories = {
  purchase: async (stage) => {
    await purchase(stage, 2_350);
  },
  decline: async ({ client, cardId }) => {
    const { data } = await unwrap(client.GET("/cards/{cardId}/balance", { params: { path: { cardId } } }));
    await authorize({ client, cardId }, Math.max(0, data.availableBalance) + 100);
  },
  refund: async (stage) => {
    const originalTransId = await purchase(stage, 4_990);
    const params = { path: { cardId: stage.cardId } };
    const body = { amount: 4_990, merchantName: "Corner Shop", mcc: "5411", originalTransId };
    const { data } = await unwrap(stage.client.POST("/sandbox/cards/{cardId}/refunds", { params, body }));
    sayStep(`the shop refunds all of it: ${data.transId}`);
  },
  atm: async ({ client, cardId }) => {
    const params = { path: { cardId } };
    const body = { amount: 6_000, merchantName: "Bank Lobby", feeAmount: 250 };
    const { data } = await unwrap(client.POST("/sandbox/cards/{cardId}/atm-withdrawals", { params, body }));
    sayStep(`a machine pays out 60.00, for a fee of 2.50: ${data.transId}`);
  },
  dispute: async (stage) => {
    const { client } = stage;
    const transactionId = await purchase(stage, 8_000);
    const opened = { referenceCode: transactionId, reason: "not_received" } as const;
    const { data } = await unwrap(client.POST("/disputes", { body: opened }));
    const params = { path: { disputeId: data.disputeId } };
    sayStep(`the purchase is disputed: ${data.disputeId}`);
    await unwrap(client.POST("/disputes/{disputeId}/submit", { params }));
    sayStep("the dispute is submitted to the network");
    await unwrap(client.POST("/sandbox/disputes/{disputeId}/outcome", { params, body: { status: "won" } }));
    sayStep("the network decides for the Cardholder");
  },
  "three-ds": (stage) =>
    withPasscode(stage, async (readCode) => {
      const { client, cardId } = stage;
      const asked = { params: { path: { cardId } }, body: { amount: 9_900, merchantName: "Web Shop" } };
      const { data } = await unwrap(client.POST("/sandbox/cards/{cardId}/three-ds-challenges", asked));
      const { challengeId } = data;
      sayStep(`a web shop asks for a passcode: ${challengeId}`);
      const typed = { params: { path: { challengeId } }, body: { code: await readCode() } };
      await unwrap(client.POST("/sandbox/three-ds-challenges/{challengeId}/complete", typed));
      sayStep("the Cardholder types it in");
    }),
  expiry: async (stage) => {
    const authorizationId = await hold(stage, 1_200);
    const params = { path: { authorizationId } };
    await unwrap(stage.client.POST("/sandbox/authorizations/{authorizationId}/expire", { params }));
    sayStep("the hold expires, and its money is available again");
  },
  duplicates: async (stage) => {
    const { client, cardId } = stage;
    const before = await newestNotification(client, cardId);
    await hold(stage, 1_500);
    const transIdSc = await nextNotification(client, cardId, before);
    const params = { path: { transIdSc } };
    for (let copies = 0; copies < 2; copies += 1)
      await unwrap(client.POST("/sandbox/webhooks/events/{transIdSc}/duplicate", { params }));
    sayStep(
      `its notification ${transIdSc} is sent twice more, with the same webhook-id; so is each delivery that failed`,
    );
  },
} satisfies Readonly<Record<string, Story>>;

async function newestNotification(client: Client, cardId: string): Promise<string | undefined> {
  const query = { eventType: EventType.hold } as const;
  const { items } = await unwrap(client.GET("/webhooks/events", { params: { query } }));
  return items.find((one) => one.cardId === cardId)?.transIdSc;
}

const patienceMs = 10_000;

/** @throws CannotRun if none is recorded in time */
async function nextNotification(client: Client, cardId: string, before?: string): Promise<string> {
  for (const until = Date.now() + patienceMs; Date.now() < until; await delay(100)) {
    const newest = await newestNotification(client, cardId);
    if (newest !== undefined && newest !== before) return newest;
  }
  throw new CannotRun("No notification was recorded.");
}

/** An app adds the Card to a phone's wallet, which pays with its token until it is deleted. */
async function tokenStory(stage: Stage): Promise<void> {
  const { client } = stage;
  const tokenId = await provision(stage);
  await authorize(stage, 1_250, tokenId);
  const params = { path: { tokenId } };
  await unwrap(client.POST("/tokens/{tokenId}/suspend", { params, body: { reason: "Phone lost" } }));
  sayStep("the token is suspended");
  await authorize(stage, 1_250, tokenId);
  const event = { params, body: { event: "delete" } } as const;
  await unwrap(client.POST("/sandbox/tokens/{tokenId}/wallet-event", event));
  sayStep("the wallet deletes it");
}

/** @throws CannotRun where the Program's rules decline it */
async function provision(stage: Stage): Promise<string> {
  const { client, cardId } = stage;
  const { data: wallet } = await unwrap(client.GET("/sandbox/wallets/certificates"));
  const pushed = { params: { path: { cardId } }, body: { wallet: "apple_pay", ...wallet } } as const;
  const { data: payload } = await unwrap(client.POST("/cards/{cardId}/push-provisioning", pushed));
  sayStep("an app gets the Card, encrypted for a phone's wallet");
  let tokenId = "";
  await withPasscode(stage, async (readCode) => {
    const body = { payload, device: { type: "phone" } } as const;
    const { data } = await unwrap(client.POST("/sandbox/wallets/provision", { body }));
    ({ tokenId } = data);
    sayStep(`the wallet asks for a token: ${data.outcome}: ${tokenId}`);
    if (data.outcome === "declined")
      throw new CannotRun(
        `The story ends here: ${data.declineReason}. /token-rules has the Program's rules.`,
      );
    if (data.outcome === "approved") return;
    const typed = { params: { path: { tokenId } }, body: { code: await readCode() } };
    await unwrap(client.POST("/sandbox/tokens/{tokenId}/passcode", typed));
    sayStep("the Cardholder types in the passcode: the token is active");
  });
  return tokenId;
}

/**
 * Subscribes to the Card's passcodes while `run` has one made and types it in: it reads the newest
 * one by the function that it gets.
 */
async function withPasscode(
  { client, cardId }: Stage,
  run: (readCode: () => Promise<string>) => Promise<void>,
): Promise<void> {
  const { data: subscribed } = await unwrap(client.POST("/otp/listeners", { body: { cardId } }));
  const params = { path: { token: subscribed.token } };
  try {
    await run(async () => String((await unwrap(client.GET("/otp/{token}", { params }))).data.code));
  } finally {
    await unwrap(client.DELETE("/otp/{token}", { params }));
  }
}

/** What they move. They need a Wallet and an external account, and no Card. */
const amount = 12_500;

/** A payout is sent and completed, and then its bank returns it. */
async function payoutStory(client: Client): Promise<void> {
  const ids = await openAccounts(client);
  const { data } = await unwrap(client.POST("/payouts", { body: { ...ids, amount, reference: "STORY" } }));
  const { payoutId, status, declineReason } = data;
  sayStep(`125.00 go to the account: ${status}: ${payoutId}`);
  if (status !== "pending") throw notPending(declineReason);
  await unwrap(client.POST("/sandbox/payment-files"));
  sayStep("a file for the bank has it: sent");
  const params = { path: { payoutId } };
  for (const body of [{ status: "completed" }, { status: "returned", reasonCode: "AC04" }] as const) {
    await unwrap(client.POST("/sandbox/payouts/{payoutId}/outcome", { params, body }));
    sayStep(`the bank says: ${body.status}`);
  }
}

/** A pull is sent and collected, and then its payer has it back. */
async function pullStory(client: Client): Promise<void> {
  const ids = await openAccounts(client);
  const account = { path: { externalAccountId: ids.externalAccountId } };
  const signed = { params: account, body: { signedAt: "2026-01-15" } };
  const { data: mandate } = await unwrap(
    client.POST("/external-accounts/{externalAccountId}/mandates", signed),
  );
  sayStep(`its holder has signed a mandate: ${mandate.mandateId}`);
  const body = { ...ids, mandateId: mandate.mandateId, amount, reference: "STORY" };
  const { data } = await unwrap(client.POST("/pulls", { body }));
  sayStep(`125.00 are pulled from the account: ${data.status}: ${data.pullId}`);
  if (data.status !== "pending") throw notPending(data.declineReason);
  const params = { path: { pullId: data.pullId } };
  for (const outcome of [{ status: "collected" }, { status: "returned", reasonCode: "MD06" }] as const) {
    await unwrap(client.POST("/sandbox/pulls/{pullId}/outcome", { params, body: outcome }));
    sayStep(`the bank says: ${outcome.status}`);
  }
}

/** A Wallet with money, and somebody's verified account at a bank. */
async function openAccounts(client: Client): Promise<{ walletId: string; externalAccountId: string }> {
  const { data: wallet } = await unwrap(client.POST("/wallets", { body: { name: "Story" } }));
  const { walletId } = wallet;
  const money = { params: { path: { walletId } }, body: { amount: 2 * amount } };
  await unwrap(client.POST("/wallets/{walletId}/bank-deposit", money));
  sayStep(`a Wallet has 250.00: ${walletId}`);
  // A Program has an account once.
  const accountNumber = String(randomInt(10 ** 11, 10 ** 12));
  const holder = { holderName: "Trigger Story", holderType: "person" } as const;
  const bank = { accountNumber, routingNumber: "021000021", accountType: "checking" } as const;
  const { data: account } = await unwrap(client.POST("/external-accounts", { body: { ...holder, ...bank } }));
  const { externalAccountId } = account;
  const params = { path: { externalAccountId } };
  const check = { params, body: { method: "bank_check" } } as const;
  await unwrap(client.POST("/external-accounts/{externalAccountId}/verification", check));
  const known = { params, body: { outcome: "match" } } as const;
  await unwrap(client.POST("/sandbox/external-accounts/{externalAccountId}/check", known));
  sayStep(`an account at a bank is verified: ${externalAccountId}`);
  return { walletId, externalAccountId };
}

function notPending(reason: string | undefined): CannotRun {
  return new CannotRun(
    `The story ends here${reason === undefined ? "" : `: ${reason}`}. The Program's settings decide it.`,
  );
}

const onCard: Readonly<Partial<Record<ScenarioName, Story>>> = { ...cardStories, token: tokenStory };
const atBank: Readonly<Partial<Record<ScenarioName, (client: Client) => Promise<void>>>> = {
  payout: payoutStory,
  pull: pullStory,
};

interface Stage {
  readonly client: Client;
  readonly cardId: string;
}

type Story = (stage: Stage) => Promise<void>;

/** Returns the id of the settled transaction. */
async function purchase(stage: Stage, amount: number): Promise<string> {
  const authorizationId = await hold(stage, amount);
  const params = { path: { authorizationId } };
  const body = { referenceCode: `trigger${Date.now()}` };
  const { data } = await unwrap(
    stage.client.POST("/sandbox/authorizations/{authorizationId}/clear", { params, body }),
  );
  sayStep(`the shop clears it: ${data.transId}`);
  return data.transId;
}

/** @throws CannotRun if it is declined, as where the Card lacks the money or your server says so */
async function hold(stage: Stage, amount: number): Promise<string> {
  const { approved, authorizationId } = await authorize(stage, amount);
  if (approved) return authorizationId;
  throw new CannotRun(
    "The story ends here: it needs a Card that may spend. Without --card, it takes a new one.",
  );
}

/** With the Card's number, or a token of it. */
async function authorize({ client, cardId }: Stage, amount: number, tokenId?: string) {
  const params = { path: { cardId } };
  const body = { amount, merchantName: "Corner Shop", mcc: "5411", ...(tokenId && { tokenId }) };
  const { data } = await unwrap(client.POST("/sandbox/cards/{cardId}/authorizations", { params, body }));
  const outcome = data.approved ? "approved, and held" : `declined (${data.declineReason})`;
  sayStep(`a shop asks for ${(amount / 100).toFixed(2)}: ${outcome}: ${data.authorizationId}`);
  return data;
}
