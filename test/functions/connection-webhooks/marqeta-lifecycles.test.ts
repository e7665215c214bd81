import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CardStatus } from "../../../shared/contract/enums.ts";
import { givenCardInStatus } from "../../harness/given-cards.ts";
import { jitRequest, marqetaTransaction, marqetaWebhook } from "../../harness/marqeta-messages.ts";
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

describe("a withdrawal that Marqeta reverses", () => {
  const type = "pindebit.atm.withdrawal";

  it("is given back with its fee, once: after the decision, or declined by the network", async () => {
    const { cardId, balances } = await given();
    const approved = await send(
      jitRequest(cardId, "w-1", 2_000, { type, method: "pgfs.pindebit.atm.withdrawal" }),
    );
    expect(approved.status).toBe(200);
    expect(await balances()).toEqual([7_750, 7_750]);
    const webhook = marqetaWebhook(marqetaTransaction(cardId, "w-1", 2_000, { type, ...declined }));
    for (const _ of [1, 2]) {
      expect((await send(webhook)).status).toBe(200);
      expect(await applyQueued()).toBe(0);
    }
    expect(await balances()).toEqual([10_000, 10_000]);
  });

  it("is given back with its fee where a webhook alone has posted it; a part leaves the fee", async () => {
    const { cardId, balances } = await given();
    await send(marqetaWebhook(marqetaTransaction(cardId, "w-2", 2_000, { type, state: "COMPLETION" })));
    await applyQueued();
    expect(await balances()).toEqual([7_750, 7_750]);
    const reversal = (token: string, amount: number) =>
      marqetaTransaction(cardId, token, amount, {
        type: "pindebit.authorization.reversal",
        preceding: "w-2",
      });
    await send(marqetaWebhook(reversal("v-1", 500)));
    await applyQueued();
    expect(await balances()).toEqual([8_250, 8_250]);
    await send(marqetaWebhook(reversal("v-2", 1_500)));
    await applyQueued();
    expect(await balances()).toEqual([10_000, 10_000]);
  });
});

describe("a PIN debit that Marqeta reverses", () => {
  const reversal = (cardId: string, token: string, preceding: string, amount: number) =>
    marqetaWebhook(marqetaTransaction(cardId, token, amount, { type: "pindebit.reversal", preceding }));
  const completed = (type: string) => ({ type, state: "COMPLETION" });

  it("is given back once: a purchase by a refund, a withdrawal with its fee", async () => {
    const { cardId, balances } = await given();
    await send(jitRequest(cardId, "p-1", 2_000, { type: "pindebit", method: "pgfs.auth_plus_capture" }));
    await send(marqetaWebhook(marqetaTransaction(cardId, "p-1", 2_000, completed("pindebit"))));
    await applyQueued();
    expect(await balances()).toEqual([8_000, 8_000]);
    for (const _ of [1, 2]) {
      await send(reversal(cardId, "p-2", "p-1", 500));
      expect(await applyQueued()).toBe(0);
    }
    expect(await balances()).toEqual([8_500, 8_500]);
    const withdrawal = marqetaTransaction(cardId, "p-3", 2_000, completed("pindebit.atm.withdrawal"));
    await send(marqetaWebhook(withdrawal));
    await applyQueued();
    expect(await balances()).toEqual([6_250, 6_250]);
    for (const _ of [1, 2]) {
      await send(reversal(cardId, "p-4", "p-3", 2_000));
      expect(await applyQueued()).toBe(0);
    }
    expect(await balances()).toEqual([8_500, 8_500]);
  });

  it("waits until it is posted; a reversal of more than that is kept for the operator", async () => {
    const { cardId, balances } = await given();
    await send(jitRequest(cardId, "q-1", 2_000, { type: "pindebit", method: "pgfs.auth_plus_capture" }));
    await send(reversal(cardId, "q-2", "q-1", 2_000));
    const waiting = marqeta.takeQueued();
    expect(await applyQueued(waiting)).toBe(1);
    await send(marqetaWebhook(marqetaTransaction(cardId, "q-1", 2_000, completed("pindebit"))));
    await applyQueued();
    expect(await balances()).toEqual([8_000, 8_000]);
    expect(await applyQueued(waiting)).toBe(0);
    expect(await balances()).toEqual([10_000, 10_000]);
    await send(reversal(cardId, "q-3", "q-1", 2_001));
    expect(await applyQueued()).toBe(0);
    expect(await balances()).toEqual([10_000, 10_000]);
    const [kept] = (await marqeta.program.operate("list-refused", {})).items;
    expect(kept).toMatchObject({ port: "processor", programId: marqeta.program.programId });
  });
});

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

  it("is given back at once if the platform had approved it", async () => {
    const { cardId, balances } = await givenAuthorization("a-1");
    await send(jitRequest(cardId, "i-1", 300, { ...increment, preceding: "a-1", method }));
    expect(await balances()).toEqual([8_700, 10_000]);
    for (const _ of [1, 2]) {
      await send(webhookOf(cardId, "i-1", "a-1", 300));
      expect(await applyQueued()).toBe(0);
    }
    expect(await balances()).toEqual([9_000, 10_000]);
  });

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
  const kept = async () =>
    (await marqeta.program.operate("list-refused", {})).items.filter(
      ({ programId }) => programId === marqeta.program.programId,
    );

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
