import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type Client, createClient, unwrap } from "../../../client/src/card-issuing.ts";
import { CardForm, CardholderStatus, EventType, Gender } from "../../../shared/contract/enums.ts";
import { CannotRun } from "../../command-line/options.ts";
import { say, sayStep } from "../../command-line/print.ts";
import type { ScenarioName, TriggerConnection } from "./scenario-names.ts";

interface Stage {
  readonly client: Client;
  readonly cardId: string;
}

/** With the money that each story needs. */
const startingBalance = 20_000;

export async function playScenario(
  connection: TriggerConnection,
  name: ScenarioName,
  given?: string,
): Promise<void> {
  const { baseUrl, cert, key, ca, programApiKey } = connection;
  const client = createClient({
    baseUrl,
    certificate: readFileSync(cert),
    key: readFileSync(key),
    authority: readFileSync(ca),
    apiKey: programApiKey,
  });
  try {
    const cardId = await findCard(client, given);
    say(`On Card ${cardId}:`);
    await scenarios[name]({ client, cardId });
  } finally {
    await client.close();
  }
}

const scenarios: Readonly<Record<ScenarioName, (stage: Stage) => Promise<void>>> = {
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
  "three-ds": async ({ client, cardId }) => {
    const { data: subscribed } = await unwrap(client.POST("/otp/listeners", { body: { cardId } }));
    const params = { path: { cardId } };
    const body = { amount: 9_900, merchantName: "Web Shop" };
    const { data } = await unwrap(
      client.POST("/sandbox/cards/{cardId}/three-ds-challenges", { params, body }),
    );
    sayStep(`a web shop asks for a passcode: ${data.challengeId}`);
    const { token } = subscribed;
    const { data: passcode } = await unwrap(client.GET("/otp/{token}", { params: { path: { token } } }));
    const path = { challengeId: data.challengeId };
    const typed = { params: { path }, body: { code: String(passcode.code) } };
    await unwrap(client.POST("/sandbox/three-ds-challenges/{challengeId}/complete", typed));
    sayStep("the Cardholder types it in");
    await unwrap(client.DELETE("/otp/{token}", { params: { path: { token } } }));
  },
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
    sayStep(`its notification ${transIdSc} is sent twice more, with the same webhook-id`);
  },
};

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

async function authorize({ client, cardId }: Stage, amount: number) {
  const params = { path: { cardId } };
  const body = { amount, merchantName: "Corner Shop", mcc: "5411" };
  const { data } = await unwrap(client.POST("/sandbox/cards/{cardId}/authorizations", { params, body }));
  const outcome = data.approved ? "approved, and held" : `declined (${data.declineReason})`;
  sayStep(`a shop asks for ${(amount / 100).toFixed(2)}: ${outcome}: ${data.authorizationId}`);
  return data;
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
