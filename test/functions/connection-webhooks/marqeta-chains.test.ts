import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { marqetaTransaction, marqetaWebhook } from "../../harness/marqeta-messages.ts";
import { type GivenMarqeta, givenMarqeta } from "./given-marqeta.ts";

let marqeta: GivenMarqeta;
beforeAll(async () => {
  marqeta = await givenMarqeta();
});
afterAll(() => marqeta.stop());

const given = () => marqeta.givenCard();
const send: GivenMarqeta["send"] = (body) => marqeta.send(body);
const applyQueued: GivenMarqeta["applyQueued"] = (...options) => marqeta.applyQueued(...options);

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
