import type { Client } from "./client.ts";
import type { Narrator } from "./narrator.ts";
import type { DemoReceiver } from "./receiver.ts";

/** A receiver of the Program's own gets a hold's webhook and verifies it. */
export async function receiveWebhook(
  client: Client,
  tell: Narrator,
  cardId: string,
  receiver: DemoReceiver,
): Promise<void> {
  const path = `/card-events/${cardId}`;
  const url = receiver.origin + path;
  const { webhookId, secret } = (await client.call("POST /webhooks", { url, eventTypes: [1] })).body.data;
  try {
    tell.step("A webhook endpoint is registered for holds", `${webhookId} ${url}`);
    const body = { amount: 700, merchantName: "Kiosk" };
    await client.call(`POST /sandbox/cards/${cardId}/authorizations`, body);
    const envelope = receiver.verified(await receiver.next(path), secret);
    const { TransId_SC, TransAmount, SpData } = envelope;
    const { cdcEvent } = JSON.parse(JSON.parse(String(SpData)).OriginalDataFromSp);
    tell.step(
      "A kiosk asks for 7.00 USD, and the webhook of the hold comes in, its signature verified",
      `${cdcEvent} ${TransId_SC}, TransAmount ${TransAmount}`,
    );
    await tell.balances();
  } finally {
    await client.call(`DELETE /webhooks/${webhookId}`);
  }
}
