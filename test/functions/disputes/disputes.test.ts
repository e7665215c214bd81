import { describe, expect, it } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { expectBooksInOrder } from "../../harness/books.ts";
import { givenDispute, givenPurchase, stepsOf } from "./given-dispute.ts";

const liability = (parts: object) => ({
  ...{ original: 3_000, recovered: 0, writtenOff: 0, denied: 0, remaining: 0 },
  ...parts,
});

describe("POST /disputes", () => {
  it("200: of all that is left, and moves nothing on the card", async () => {
    const { create, balances, types, transId, cardId, cardholderId } = await givenPurchase();
    const { status, body } = await create({ note: "It never came." });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      status: "new",
      ...{ transId, referenceCode: transId, cardId, cardholderId, amount: 3_000, currency: 0 },
      ...{ reason: "not_received", note: "It never came.", creditedAmount: 0 },
      liability: liability({ remaining: 3_000 }),
    });
    expect(await balances()).toEqual([7_000, 7_000]);
    expect((await types()).map(([type]) => type)).toEqual([18, 3]);
  });

  it("finds the transaction by its sender's code, by its id, and not another Program's", async () => {
    const { create, onCard, program } = await givenPurchase();
    const other = (await onCard("force-post", { amount: 500, referenceCode: "R-77" })) as { transId: string };
    const { body } = await create({ referenceCode: "R-77", amount: 200 });
    expect(body.data).toMatchObject({ transId: other.transId, referenceCode: "R-77", amount: 200 });
    expect((await create({ referenceCode: other.transId })).body.data).toMatchObject({ amount: 300 });
    const stranger = await givenPurchase();
    expect((await stranger.create({ referenceCode: "R-77" })).status).toBe(404);
    expect((await stranger.create({ referenceCode: other.transId })).status).toBe(404);
    expect((await create({ referenceCode: newId("transaction") })).status).toBe(404);
    await expectBooksInOrder(program.programId);
  });

  it("409 AMOUNT_EXCEEDED: together they do not exceed the transaction", async () => {
    const { create } = await givenPurchase();
    expect((await create({ amount: 3_001 })).body).toMatchObject({ code: "AMOUNT_EXCEEDED" });
    const first = await create({ amount: 2_000 });
    expect((await create({ amount: 1_001 })).status).toBe(409);
    expect((await create({ amount: 1_000 })).status).toBe(200);
    expect((await create()).status).toBe(409);
    expect(first.status).toBe(200);
  });

  it("commits once of racing disputes, and repeats the answer for the same Idempotency-Key", async () => {
    const { create, balances } = await givenPurchase();
    const racing = await Promise.all([1, 2, 3, 4].map(() => create({ amount: 1_600 })));
    expect(racing.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    const key = { "Idempotency-Key": "one" };
    const first = await create({ amount: 700 }, key);
    expect((await create({ amount: 700 }, key)).body).toEqual(first.body);
    expect((await create({ amount: 701 })).status).toBe(409);
    expect((await create({ amount: 700 })).status).toBe(200);
    await balances();
  });

  it("gives the amount back when it is lost or withdrawn, and not when it is won or written off", async () => {
    for (const [end, isFree] of [
      ["lost", true],
      ["withdrawn", true],
      ["won", false],
      ["write-off", false],
    ] as const) {
      const { create, step, outcome, balances } = await givenDispute();
      await step("submit");
      const ended = await (end === "write-off" ? step(end) : outcome(end));
      expect(ended.status, end).toBe(200);
      expect((await create()).status, end).toBe(isFree ? 200 : 409);
      await balances();
    }
  });
});

describe("PUT /disputes/{disputeId}", () => {
  it("200: changes it while it is new, as far as the amount is free", async () => {
    const { change, step, create, view } = await givenDispute({}, { amount: 1_000 });
    expect((await change({ amount: 3_001 })).status).toBe(409);
    const { body } = await change({ amount: 2_500, reason: "defective", note: "Broken." });
    expect(body.data).toMatchObject({
      ...{ amount: 2_500, reason: "defective", note: "Broken." },
      liability: liability({ original: 2_500, remaining: 2_500 }),
    });
    expect((await create({ amount: 501 })).status).toBe(409);
    await change({ amount: 400 });
    expect(await view()).toMatchObject({ amount: 400, note: "Broken.", liability: { original: 400 } });
    expect((await create({ amount: 2_600 })).status).toBe(200);
    await step("submit");
    expect((await change({ note: "Late." })).status).toBe(409);
  });
});

describe("a dispute", () => {
  it("is noted (4) as it is submitted; won without a credit, the card gets the money (5)", async () => {
    const { step, outcome, balances, types, events } = await givenDispute();
    const submitted = await step("submit");
    expect(submitted.body.data).toMatchObject({ status: "submitted", creditedAmount: 0 });
    expect(await balances()).toEqual([7_000, 7_000]);
    const won = await outcome("won");
    expect(won.body.data).toMatchObject({
      creditedAmount: 3_000,
      liability: liability({ recovered: 3_000 }),
    });
    expect(won.body.data).not.toHaveProperty("creditDue");
    expect(await balances()).toEqual([10_000, 10_000]);
    expect((await types()).slice(2)).toEqual([
      [4, 0],
      [5, 3_000],
    ]);
    expect((await events()).map(({ trigger, status }) => [trigger, status])).toEqual([
      ["create", "new"],
      ["submit", "submitted"],
      ["win", "won"],
    ]);
  });

  it("is credited at once (6) where the Program says so; lost, it is taken back (7)", async () => {
    const { step, outcome, balances, types } = await givenDispute({ provisionalCreditAtOnce: true });
    expect((await step("submit")).body.data).toMatchObject({ creditedAmount: 3_000 });
    expect(await balances()).toEqual([10_000, 10_000]);
    for (const status of ["representment", "pre_arbitration", "arbitration"]) await outcome(status);
    const lost = await outcome("lost");
    expect(lost.body.data).toMatchObject({ creditedAmount: 0, liability: liability({ denied: 3_000 }) });
    expect(await balances()).toEqual([7_000, 7_000]);
    expect((await types()).slice(2)).toEqual([
      [4, 0],
      [6, 3_000],
      [10, 0],
      [7, 3_000],
    ]);
  });

  it("is withdrawn: before it was submitted without a record, then with a reversal (8)", async () => {
    const early = await givenDispute();
    const { body } = await early.step("withdraw");
    expect(body.data).toMatchObject({ status: "withdrawn", liability: liability({ denied: 3_000 }) });
    expect(await early.types()).toHaveLength(2);
    const late = await givenDispute({ provisionalCreditAtOnce: true });
    await late.step("submit");
    await late.outcome("pending_customer");
    await late.step("withdraw");
    expect((await late.types()).at(-1)).toEqual([8, 3_000]);
    expect(await late.balances()).toEqual([7_000, 7_000]);
    expect((await late.step("withdraw")).status).toBe(409);
  });

  it("goes on by escalation, and not beyond arbitration", async () => {
    const { step, outcome, view } = await givenDispute();
    expect((await step("escalate")).status).toBe(409);
    await step("submit");
    await outcome("representment");
    expect((await step("escalate")).body.data).toMatchObject({ status: "pre_arbitration" });
    expect((await step("escalate")).body.data).toMatchObject({ status: "arbitration" });
    expect((await step("escalate")).status).toBe(409);
    expect(await view()).not.toHaveProperty("deadline");
  });

  it("of an ATM withdrawal has the codes of PIN debits", async () => {
    const given = await givenPurchase({ provisionalCreditAtOnce: true });
    const { transId } = (await given.onCard("atm-withdrawals", { amount: 500 })) as { transId: string };
    const { body } = await given.create({ referenceCode: transId, reason: "atm_not_dispensed" });
    const { step, outcome } = stepsOf(given.program, body.data.disputeId as string);
    await step("submit");
    await outcome("won");
    expect((await given.types()).slice(-3)).toEqual([
      [42, 0],
      [44, 500],
      [43, 0],
    ]);
  });

  it("of the sandbox's chargeback is the same entity", async () => {
    const { onCard, program, transId, create } = await givenPurchase();
    const { chargebackId } = (await onCard("chargebacks", { transId, amount: 1_000 })) as {
      chargebackId: string;
    };
    const { view, step } = stepsOf(program, chargebackId);
    expect(await view()).toMatchObject({ status: "submitted", amount: 1_000, creditedAmount: 1_000 });
    expect((await create()).body.data).toMatchObject({ amount: 2_000 });
    const path = { chargebackId };
    await program.call("POST /chargebacks/{chargebackId}/outcome", { path, body: { status: 1 } });
    expect((await step("escalate")).body.data).toMatchObject({ status: "pre_arbitration" });
  });
});

describe("GET /disputes", () => {
  it("200: by Card, Cardholder and status", async () => {
    const { program, create, cardId, cardholderId } = await givenPurchase();
    const made = [await create({ amount: 100 }), await create({ amount: 200 })];
    const [one = "", two = ""] = made.map(({ body }) => body.data.disputeId as string);
    await stepsOf(program, two).step("submit");
    const idsOf = async (query: Record<string, string>) => {
      const { body } = await program.call("GET /disputes", { query: { ...query, sort: "asc" } });
      return (body.items as { disputeId: string }[]).map(({ disputeId }) => disputeId);
    };
    expect(await idsOf({})).toEqual([one, two]);
    expect(await idsOf({ status: "new" })).toEqual([one]);
    expect(await idsOf({ cardId })).toEqual([one, two]);
    expect(await idsOf({ cardholderId, status: "submitted" })).toEqual([two]);
    expect(await idsOf({ cardId: newId("card") })).toEqual([]);
    expect(await idsOf({ cardId, cardholderId: newId("cardholder") })).toEqual([]);
  });
});
