import { setTimeout as delay } from "node:timers/promises";
import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import { EventType } from "../../../shared/contract/enums.ts";
import { CannotRun } from "../../command-line/options.ts";
import { sayStep } from "../../command-line/print.ts";
import { authorize, hold, purchase, type Stage, type Story } from "./steps.ts";

export const cardStories = {
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
export async function tokenStory(stage: Stage): Promise<void> {
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
export async function withPasscode(
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
