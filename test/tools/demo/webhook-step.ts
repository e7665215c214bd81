import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import type { Narrator } from "./narrator.ts";
import type { DemoReceiver } from "./receiver.ts";

/** Receives a hold's webhook, verifies it, and parses its three layers. */
export async function receiveWebhook(
  client: Client,
  tell: Narrator,
  cardId: string,
  receiver: DemoReceiver,
): Promise<void> {
  const path = `/card-events/${cardId}`;
  const url = receiver.origin + path;
  const { data } = await unwrap(client.POST("/webhooks", { body: { url, eventTypes: [1] } }));
  const { webhookId, secret } = data;
  try {
    tell.step("A webhook endpoint is registered for holds", `${webhookId} ${url}`);
    const params = { path: { cardId } };
    const body = { amount: 700, merchantName: "Kiosk" };
    await unwrap(client.POST("/sandbox/cards/{cardId}/authorizations", { params, body }));
    const received = receiver.verified(await receiver.next(path), secret);
    if (received.kind !== "transaction") throw new Error(`A ${received.kind} came in.`);
    const { TransId_SC, TransAmount, SpData } = received.notification;
    tell.step(
      "A kiosk asks for 7.00 USD, and the webhook of the hold comes in, its signature verified",
      `${SpData.OriginalDataFromSp.cdcEvent} ${TransId_SC}, TransAmount ${TransAmount}`,
    );
    await tell.balances();
  } finally {
    await unwrap(client.DELETE("/webhooks/{webhookId}", { params: { path: { webhookId } } }));
  }
}
