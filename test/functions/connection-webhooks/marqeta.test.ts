import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CardStatus } from "../../../shared/contract/enums.ts";
import { givenCardInStatus } from "../../harness/given-cards.ts";
import { jitRequest, marqetaTransaction, marqetaWebhook } from "../../harness/marqeta-messages.ts";
import { refusedOf } from "../../harness/refused.ts";
import { type GivenMarqeta, givenMarqeta } from "./given-marqeta.ts";

let marqeta: GivenMarqeta;
beforeAll(async () => {
  marqeta = await givenMarqeta();
});
afterAll(() => marqeta.stop());

const given = () => marqeta.givenCard();
const send: GivenMarqeta["send"] = (body) => marqeta.send(body);
const applyQueued: GivenMarqeta["applyQueued"] = (...options) => marqeta.applyQueued(...options);

const gatewayLog = { gpa_order: { funding: { gateway_log: { timed_out: true } } } };
const declined = { state: "DECLINED", more: gatewayLog };

describe("an increment that Marqeta declines", () => {
  const increment = { type: "authorization.incremental", preceding: "" };
  const method = "pgfs.authorization.incremental";

  async function givenAuthorization(token: string) {
    const card = await given();
    expect((await send(jitRequest(card.cardId, token, 1_000))).status).toBe(200);
    return card;
  }
  const webhookOf = (cardId: string, token: string, preceding: string, amount: number) =>
    marqetaWebhook(marqetaTransaction(cardId, token, amount, { ...increment, ...declined, preceding }));

  it("releases nothing if the platform had declined it", async () => {
    const { cardId, balances } = await givenAuthorization("a-2");
    const asked = await send(jitRequest(cardId, "i-2", 90_000, { ...increment, preceding: "a-2", method }));
    expect(asked.status).toBe(402);
    await send(webhookOf(cardId, "i-2", "a-2", 90_000));
    expect(await applyQueued()).toBe(0);
    expect(await balances()).toEqual([9_000, 10_000]);
  });

  it("waits for a request that is under way, for five minutes", async () => {
    const { cardId, balances } = await givenAuthorization("a-3");
    await send(webhookOf(cardId, "i-3", "a-3", 300));
    const waiting = marqeta.takeQueued();
    expect(await applyQueued(waiting)).toBe(1);
    await send(jitRequest(cardId, "i-3", 300, { ...increment, preceding: "a-3", method }));
    expect(await applyQueued(waiting)).toBe(0);
    expect(await balances()).toEqual([9_000, 10_000]);
    await send(webhookOf(cardId, "i-4", "a-3", 300));
    expect(await applyQueued(undefined, 300_000)).toBe(0);
    expect(await balances()).toEqual([9_000, 10_000]);
  });
});

describe("a webhook that was answered 200", () => {
  const kept = () => refusedOf(marqeta.program);

  it("is kept for the operator if it is rejected for good", async () => {
    const { cardId, balances } = await given();
    const clearing = { type: "authorization.clearing", state: "COMPLETION", preceding: "k-1" };
    const reversal = { type: "authorization.reversal", state: "CLEARED", preceding: "k-1" };
    const expiry = { ...reversal, type: "authorization.reversal.issuerexpiration" };
    const [held, cleared, reversed, expired] = [
      marqetaTransaction(cardId, "k-1", 500),
      marqetaTransaction(cardId, "k-2", 500, clearing),
      marqetaTransaction(cardId, "4000001234567899", 500, reversal),
      marqetaTransaction(cardId, "k-4", 500, expiry),
    ];
    await send(marqetaWebhook(held, cleared, reversed, expired));
    const before = await kept();
    expect(await applyQueued()).toBe(0);
    const [one, ...others] = await kept();
    expect([one, others]).toMatchObject([
      { port: "processor", reason: expect.stringMatching(/^authorization_reversal: /) },
      before,
    ]);
    const { input } = await marqeta.program.operate("view-refused", { refusedId: one?.refusedId });
    expect(JSON.parse(input)).toMatchObject({ authorizationId: "k-1", eventId: `marqeta:${"*".repeat(16)}` });
    expect(await balances()).toEqual([9_500, 9_500]);
  });

  it("is not kept if it only says what the platform has declined", async () => {
    const { cardId, balances } = await given();
    const before = await kept();
    expect((await send(jitRequest(cardId, "k-5", 90_000))).status).toBe(402);
    for (const _ of [1, 2]) {
      await send(marqetaWebhook(marqetaTransaction(cardId, "k-5", 90_000, declined)));
      expect(await applyQueued()).toBe(0);
    }
    expect(await kept()).toEqual(before);
    expect(await balances()).toEqual([10_000, 10_000]);
  });
});

describe("an account verification", () => {
  it("is approved with 0, holds nothing, and its webhook is a repetition", async () => {
    const { cardId, balances } = await given();
    const answer = await send(jitRequest(cardId, "z-1", 0));
    expect([answer.status, answer.body.jit_funding?.amount]).toEqual([200, 0]);
    expect((await send(marqetaWebhook(marqetaTransaction(cardId, "z-1", 0)))).status).toBe(200);
    expect(await applyQueued()).toBe(0);
    expect(await balances()).toEqual([10_000, 10_000]);
  });

  it("is declined for a Card on hold", async () => {
    const cardId = await givenCardInStatus(marqeta.program, { issuerCardStatus: CardStatus.onHold });
    const answer = await send(jitRequest(cardId, "z-2", 0));
    expect([answer.status, answer.body.jit_funding?.decline_reason]).toEqual([402, "CARD_SUSPENDED"]);
  });
});

describe("an authorization whose messages name only the one before", () => {
  const increment = { type: "authorization.incremental" };
  const clearing = { type: "authorization.clearing", state: "COMPLETION" };
  const chain = (cardId: string, name: string) => [
    marqetaTransaction(cardId, `${name}-a`, 2_000),
    marqetaTransaction(cardId, `${name}-b`, 500, { ...increment, preceding: `${name}-a` }),
    marqetaTransaction(cardId, `${name}-c`, 500, { ...increment, preceding: `${name}-b` }),
    marqetaTransaction(cardId, `${name}-d`, 3_000, { ...clearing, preceding: `${name}-c` }),
  ];

  /** Repeats what stays in the queue, as often as it has messages. */
  async function applyAll(webhooks: readonly object[]) {
    for (const transaction of webhooks) expect((await send(marqetaWebhook(transaction))).status).toBe(200);
    const bodies = marqeta.takeQueued();
    for (const _ of bodies) for (const body of bodies) await applyQueued([body]);
  }

  it("holds and clears once, in whatever order they come", async () => {
    for (const order of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [2, 0, 3, 1],
    ]) {
      const { cardId, balances } = await given();
      const webhooks = chain(cardId, `order-${order.join("")}`);
      await applyAll(order.map((index) => webhooks[index] ?? {}));
      expect(await balances()).toEqual([7_000, 7_000]);
    }
  });

  it("releases by reversals and expiries that name an increment", async () => {
    const { cardId, balances } = await given();
    const [first, second, third] = chain(cardId, "released");
    await applyAll([first, second, third].map((one) => one ?? {}));
    expect(await balances()).toEqual([7_000, 10_000]);
    const reversal = { type: "authorization.reversal", preceding: "released-c" };
    await applyAll([marqetaTransaction(cardId, "released-e", 500, reversal)]);
    expect(await balances()).toEqual([7_500, 10_000]);
    const expiry = { type: "authorization.reversal.issuerexpiration", preceding: "released-e" };
    await applyAll([marqetaTransaction(cardId, "released-f", 2_500, expiry)]);
    expect(await balances()).toEqual([10_000, 10_000]);
  });

  it("is cleared after five minutes if what it names never comes", async () => {
    const { cardId, balances } = await given();
    await send(marqetaWebhook(marqetaTransaction(cardId, "lost-d", 700, { ...clearing, preceding: "lost" })));
    const waiting = marqeta.takeQueued();
    expect(await applyQueued(waiting)).toBe(1);
    expect(await balances()).toEqual([10_000, 10_000]);
    expect(await applyQueued(waiting, 300_000)).toBe(0);
    expect(await balances()).toEqual([9_300, 9_300]);
  });
});
