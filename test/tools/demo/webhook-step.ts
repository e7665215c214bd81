import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import { cleanUp } from "../../../infra/command-line/clean-up.ts";
import { EventType } from "../../../shared/contract/enums.ts";
import type { Narrator } from "./narrator.ts";
import type { DemoReceiver } from "./receiver.ts";

/** Receives a hold's webhook and the balance after it, and verifies both. */
export async function receiveWebhook(
  client: Client,
  tell: Narrator,
  cardId: string,
  receiver: DemoReceiver,
): Promise<void> {
  const path = `/card-events/${cardId}`;
  const url = receiver.origin + path;
  await using cleaning = cleanUp();
  const register = async (to: string, eventType: EventType) => {
    const { data } = await unwrap(client.POST("/webhooks", { body: { url: to, eventTypes: [eventType] } }));
    const params = { path: { webhookId: data.webhookId } };
    cleaning.defer(() => unwrap(client.DELETE("/webhooks/{webhookId}", { params })));
    return data;
  };
  const { webhookId, secret } = await register(url, hold);
  const chosen = await register(`${receiver.origin}${path}/balances`, balanceChanged);
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
  const told = receiver.verified(await receiver.next(`${path}/balances`), chosen.secret);
  if (told.kind !== "change" || told.notification.type !== "balance.changed")
    throw new Error(`A ${told.kind} came in.`);
  const { eventId, data: balances } = told.notification;
  tell.step(
    "Another endpoint has chosen to be told of each balance",
    `balance.changed ${eventId}, ${balances.cause}, availableBalance ${balances.availableBalance}`,
  );
  await tell.balances();
}

const { hold, balanceChanged } = EventType;
