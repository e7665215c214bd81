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
  it("has an event for each step", async () => {
    const { step, outcome, events } = await givenDispute();
    await step("submit");
    await outcome("won");
    expect((await events()).map(({ trigger, status }) => [trigger, status])).toEqual([
      ["create", "new"],
      ["submit", "submitted"],
      ["win", "won"],
    ]);
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
