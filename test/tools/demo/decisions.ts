import { cleanUp } from "../../../infra/command-line/clean-up.ts";
import { EventType } from "../../../shared/contract/enums.ts";
import { money } from "./narrator.ts";
import type { DemoReceiver } from "./receiver.ts";
import type { Stage } from "./story.ts";

/** A control allows a day's groceries, declines what exceeds it, and gets back what is reversed. */
export async function controlSpending({ call, tell }: Stage, cardId: string): Promise<void> {
  const { controlId } = await call(
    "POST /controls",
    {},
    {
      name: "Groceries for 40.00 a day",
      cardId,
      velocity: { amount: 4_000, window: "day" },
      merchants: { mcc: { allow: ["5411"] } },
    },
  );
  await using cleaning = cleanUp();
  cleaning.defer(() => call("DELETE /controls/{controlId}", { controlId }));
  const usage = async () => {
    const { used, limit } = await call("GET /controls/{controlId}/usage", { controlId });
    return `${money(used.amount)} of ${money(limit.amount ?? 0)} used`;
  };
  const authorize = (amount: number, mcc: string) =>
    call(
      "POST /sandbox/cards/{cardId}/authorizations",
      { cardId },
      { amount, merchantName: "Corner Shop", mcc },
    );
  tell.step("The Card may spend 40.00 USD a day, on groceries only", controlId);
  const { authorizationId } = await authorize(3_500, "5411");
  tell.step("Groceries for 35.00 USD: approved", await usage());
  await tell.balances();
  const { declineReason } = await authorize(600, "5411");
  tell.step("Another 6.00 USD: declined", `${declineReason}, ${await usage()}`);
  const fuel = await authorize(100, "5541");
  tell.step("Fuel for 1.00 USD: declined", `${fuel.declineReason}, ${await usage()}`);
  await call("POST /sandbox/authorizations/{authorizationId}/reverse", { authorizationId }, {});
  tell.step("The shop reverses: the hold goes, and does not count any more", await usage());
  await tell.balances();
}

/** The Program's own server approves, declines and falls silent: then the stand-in decides. */
export async function decideAuthorizations(
  { call, tell }: Stage,
  cardId: string,
  receiver: DemoReceiver,
): Promise<void> {
  const path = `/decisions/${cardId}`;
  const endpoint = {
    url: receiver.origin + path,
    deadlineMs: 500,
    standIn: { timeout: { approveUpTo: 500 } },
  };
  await using cleaning = cleanUp();
  const registered = await call("PUT /authorization-endpoint", {}, endpoint);
  cleaning.defer(() => call("DELETE /authorization-endpoint"));
  // A demo that was killed has left its endpoint.
  const { secret } =
    registered.secret === undefined ? await call("POST /authorization-endpoint/rotate-secret") : registered;
  tell.step("The Program's own server decides on authorizations from now on", endpoint.url);
  for (const [title, amount, answer] of [
    ["It approves", 300, { decision: "approve" }],
    ["It declines", 300, { decision: "decline", reason: "Not on Mondays" }],
    ["It is silent: the stand-in approves up to 5.00 USD", 400, undefined],
    ["and declines more", 600, undefined],
  ] as const) {
    receiver.decide(path, String(secret), () => answer);
    const purchase = { amount, merchantName: "Kiosk" };
    const asked = await call("POST /sandbox/cards/{cardId}/authorizations", { cardId }, purchase);
    const { authorizationId } = asked;
    const decision = await call("GET /authorizations/{authorizationId}/decision", { authorizationId });
    const { outcome, decidedBy, reason, receivedAt, decidedAt } = decision;
    const tookMs = Date.parse(decidedAt) - Date.parse(receivedAt);
    const why = reason === undefined ? "" : ` (${reason})`;
    tell.step(title, `${money(amount)}: ${outcome} by ${decidedBy}${why} after ${tookMs} ms`);
  }
  await tell.balances();
}

const { hold, balanceChanged } = EventType;

/** Receives a hold's webhook and the balance after it, and verifies both. */
export async function receiveWebhook(
  { call, tell }: Stage,
  cardId: string,
  receiver: DemoReceiver,
): Promise<void> {
  const path = `/card-events/${cardId}`;
  await using cleaning = cleanUp();
  const register = async (url: string, eventType: EventType) => {
    const made = await call("POST /webhooks", {}, { url, eventTypes: [eventType] });
    cleaning.defer(() => call("DELETE /webhooks/{webhookId}", { webhookId: made.webhookId }));
    return made;
  };
  const url = receiver.origin + path;
  const { webhookId, secret } = await register(url, hold);
  const chosen = await register(`${url}/balances`, balanceChanged);
  tell.step("A webhook endpoint is registered for holds", `${webhookId} ${url}`);
  const purchase = { amount: 700, merchantName: "Kiosk" };
  await call("POST /sandbox/cards/{cardId}/authorizations", { cardId }, purchase);
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
  const { eventId, data } = told.notification;
  tell.step(
    "Another endpoint has chosen to be told of each balance",
    `balance.changed ${eventId}, ${data.cause}, availableBalance ${data.availableBalance}`,
  );
  await tell.balances();
}

/** A one-time passcode: challenge, callback if there is a receiver, retrieval, use. */
export async function authenticate(
  { call, tell }: Stage,
  cardId: string,
  receiver: DemoReceiver | undefined,
): Promise<void> {
  const path = `/passcodes/${cardId}`;
  const subscription = { cardId, ...(receiver && { webhookUrl: receiver.origin + path }) };
  const { token, secret } = await call("POST /otp/listeners", {}, subscription);
  await using cleaning = cleanUp();
  cleaning.defer(() => call("DELETE /otp/{token}", { token }));
  const look = () => call("GET /otp/{token}", { token });
  tell.step("The Card's one-time passcodes are subscribed to", `status ${(await look()).status}`);

  const challenges = "POST /sandbox/cards/{cardId}/three-ds-challenges";
  const { challengeId } = await call(challenges, { cardId }, { amount: 9_900 });
  if (receiver && secret !== undefined) {
    const { notification } = receiver.verified(await receiver.next(path), secret);
    tell.step(
      "A web shop asks for one, and the callback comes in: which Card, and never the code",
      JSON.stringify(notification),
    );
  } else tell.step("A web shop asks for one", challengeId);

  const { status, code, expiresAt } = await look();
  tell.step("The code is fetched", `status ${status}, code ${code}, until ${expiresAt}`);
  const complete = "POST /sandbox/three-ds-challenges/{challengeId}/complete";
  await call(complete, { challengeId }, { code: String(code) });
  tell.step("The Cardholder types it in", `status ${(await look()).status}`);
}
