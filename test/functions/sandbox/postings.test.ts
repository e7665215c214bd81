import { describe, expect, it } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { givenSandbox } from "./given-sandbox.ts";

const transId = expect.stringMatching(/^txn_/);
const feeId = expect.stringMatching(/^fee_/);
const balances = (both: number) => ({ availableBalance: both, ledgerBalance: both });

describe("POST /cards/{cardId}/force-post", () => {
  it("200: debits the amount, whatever the card's status and balance", async () => {
    const sandbox = await givenSandbox();
    await sandbox.setStatus(3);
    const body = { amount: 12_000, srcAmount: 9_000, srcCurrency: "826", referenceCode: "R1" };
    const answer = await sandbox.onCard("force-post", body);
    expect([answer.status, answer.body.data]).toEqual([200, { transId, ...balances(-2_000) }]);
    expect(await sandbox.record(answer.body.data.transId)).toMatchObject({
      transType: 3,
      srcAmountMinor: 9_000,
      srcCurrency: "826",
      referenceCode: "R1",
    });
  });
});

describe("a reference code", () => {
  const body = { amount: 1_000, referenceCode: "R1" };

  it.each([
    ["force-post", 9_000],
    ["refunds", 11_000],
    ["atm-withdrawals", 9_000],
  ] as const)("409 REFERENCE_EXISTS if another has settled with it: %s", async (what, left) => {
    const sandbox = await givenSandbox();
    const first = await sandbox.onCard(what, body, { "Idempotency-Key": "first" });
    const second = await sandbox.onCard(what, body, { "Idempotency-Key": "second" });
    expect([second.status, second.body.code]).toEqual([409, "REFERENCE_EXISTS"]);
    const again = await sandbox.onCard(what, body, { "Idempotency-Key": "first" });
    expect(again.body.data).toEqual(first.body.data);
    expect(await sandbox.balances()).toEqual([left, 0, left]);
  });

  it("422 in the form of an id, which only the platform gives", async () => {
    const sandbox = await givenSandbox();
    const own = { ...body, referenceCode: newId("transaction") };
    const { status, body: answer } = await sandbox.onCard("force-post", own);
    expect([status, answer.errors]).toEqual([422, [expect.objectContaining({ path: "body.referenceCode" })]]);
  });
});

describe("POST /cards/{cardId}/refunds", () => {
  it("200: credits the card, and is reversed once", async () => {
    const sandbox = await givenSandbox();
    const refund = await sandbox.onCard("refunds", { amount: 250 });
    expect([refund.status, refund.body.data]).toEqual([200, { transId, ...balances(10_250) }]);
    const path = { cardId: sandbox.cardId, transId: refund.body.data.transId as string };
    const reverse = () => sandbox.post("/cards/{cardId}/refunds/{transId}/reverse", path);
    const first = await reverse();
    expect([first.status, first.body.data]).toEqual([200, { transId, ...balances(10_000) }]);
    expect((await reverse()).body.code).toBe("ILLEGAL_TRANSITION");
    const unknown = { ...path, transId: newId("transaction") };
    const missing = await sandbox.post("/cards/{cardId}/refunds/{transId}/reverse", unknown);
    expect(missing.status).toBe(404);
    expect(await sandbox.balances()).toEqual([10_000, 0, 10_000]);
  });
});

describe("POST /cards/{cardId}/atm-withdrawals", () => {
  it("200: posts the withdrawal and its fee", async () => {
    const sandbox = await givenSandbox();
    const { status, body } = await sandbox.onCard("atm-withdrawals", { amount: 2_000, feeAmount: 150 });
    expect([status, body.data]).toEqual([200, { approved: true, amount: 2_000, transId, feeId }]);
    expect(await sandbox.balances()).toEqual([7_850, 0, 7_850]);
  });

  it("200: declines what the Card cannot pay with its fee, unless the network has approved it", async () => {
    const sandbox = await givenSandbox();
    const asked = { amount: 9_900, feeAmount: 101 };
    const key = { "Idempotency-Key": "one" };
    const { status, body } = await sandbox.onCard("atm-withdrawals", asked, key);
    const declined = { approved: false, declineReason: "INSUFFICIENT_FUNDS", amount: 0, transId };
    expect([status, body.data]).toEqual([200, declined]);
    expect(await sandbox.record(body.data.transId)).toMatchObject({ transType: 77, transStatus: 4 });
    expect(await sandbox.balances()).toEqual([10_000, 0, 10_000]);
    await sandbox.onCard("refunds", { amount: 1 });
    expect((await sandbox.onCard("atm-withdrawals", asked, key)).body).toEqual(body);
    const advised = await sandbox.onCard("atm-withdrawals", { amount: 10_001, feeAmount: 5, advice: true });
    expect(advised.body.data).toEqual({ approved: true, amount: 10_001, transId, feeId });
    expect(await sandbox.balances()).toEqual([-5, 0, -5]);
  });

  it("200: the fee is the Program's where none is given", async () => {
    const sandbox = await givenSandbox();
    const free = await sandbox.onCard("atm-withdrawals", { amount: 2_000 });
    expect(free.body.data).toEqual({ approved: true, amount: 2_000, transId });
    await sandbox.setProgram({ feeSchedule: [{ feeType: 3, amount: 99, basisPoints: 0 }] });
    const charged = await sandbox.onCard("atm-withdrawals", { amount: 1_000 });
    expect(charged.body.data).toEqual({ approved: true, amount: 1_000, transId, feeId });
    expect(await sandbox.balances()).toEqual([6_901, 0, 6_901]);
  });

  it("the same Idempotency-Key gets the first answer again", async () => {
    const sandbox = await givenSandbox();
    const key = { "Idempotency-Key": "one" };
    const first = await sandbox.onCard("atm-withdrawals", { amount: 10, feeAmount: 1 }, key);
    const again = await sandbox.onCard("atm-withdrawals", { amount: 10, feeAmount: 1 }, key);
    expect(again.body).toEqual(first.body);
    expect(await sandbox.balances()).toEqual([9_989, 0, 9_989]);
  });
});

describe("POST /cards/{cardId}/fees", () => {
  it("200: charges the card, and is reversed once", async () => {
    const sandbox = await givenSandbox();
    const fee = await sandbox.onCard("fees", { feeType: 2, amount: 300 });
    expect([fee.status, fee.body.data]).toEqual([200, { feeId }]);
    expect(await sandbox.balances()).toEqual([9_700, 0, 9_700]);
    const path = { cardId: sandbox.cardId, feeId: fee.body.data.feeId as string };
    const reverse = () => sandbox.post("/cards/{cardId}/fees/{feeId}/reverse", path);
    const first = await reverse();
    expect([first.status, first.body.data]).toEqual([200, { transId, ...balances(10_000) }]);
    expect((await reverse()).status).toBe(409);
    expect(await sandbox.balances()).toEqual([10_000, 0, 10_000]);
  });

  it("422: an unknown type", async () => {
    const sandbox = await givenSandbox();
    expect((await sandbox.onCard("fees", { feeType: 6, amount: 300 })).status).toBe(422);
  });
});

describe("POST /cards/{cardId}/balance-inquiries", () => {
  it("200: returns the balances, also with an Idempotency-Key", async () => {
    const sandbox = await givenSandbox();
    const answer = await sandbox.onCard("balance-inquiries", {});
    const approved = { transId, approved: true, currency: 0, ...balances(10_000) };
    expect([answer.status, answer.body.data]).toEqual([200, approved]);
    const key = { "Idempotency-Key": "one" };
    const first = await sandbox.onCard("balance-inquiries", {}, key);
    expect((await sandbox.onCard("balance-inquiries", {}, key)).body).toEqual(first.body);
  });

  it.each([
    [2, "CARD_ON_HOLD"],
    [3, "CARD_CLOSED"],
    [4, "CARD_NOT_ACTIVATED"],
  ] as const)(
    "200: a decline of a Card in status %i has its reason and no balances",
    async (status, reason) => {
      const sandbox = await givenSandbox();
      await sandbox.setStatus(status);
      const answer = await sandbox.onCard("balance-inquiries", {});
      const declined = { transId, approved: false, declineReason: reason };
      expect([answer.status, answer.body.data]).toEqual([200, declined]);
      expect(await sandbox.record(answer.body.data.transId)).toMatchObject({ transType: 77 });
    },
  );
});

describe("POST /cards/{cardId}/chargebacks", () => {
  it("200: credits provisionally; its outcome keeps or reverses the credit", async () => {
    const sandbox = await givenSandbox();
    const { body: purchase } = await sandbox.onCard("force-post", { amount: 4_000 });
    const opened = await sandbox.onCard("chargebacks", { transId: purchase.data.transId });
    expect([opened.status, opened.body.data]).toEqual([
      200,
      { transId, chargebackId: expect.stringMatching(/^cbk_/), ...balances(10_000) },
    ]);
    expect((await sandbox.onCard("chargebacks", { transId: purchase.data.transId })).status).toBe(409);
    const path = { chargebackId: opened.body.data.chargebackId as string };
    const decide = (status: number) => sandbox.post("/chargebacks/{chargebackId}/outcome", path, { status });
    expect((await decide(6)).status).toBe(422);
    expect((await decide(1)).body.data).toEqual({ transId, ...balances(10_000) });
    expect((await decide(3)).body.data).toEqual({ transId, ...balances(6_000) });
    expect((await decide(2)).status).toBe(409);
    expect(await sandbox.balances()).toEqual([6_000, 0, 6_000]);
  });

  it("404: an unknown transaction or chargeback", async () => {
    const sandbox = await givenSandbox();
    expect((await sandbox.onCard("chargebacks", { transId: newId("transaction") })).status).toBe(404);
    const path = { chargebackId: newId("dispute") };
    expect((await sandbox.post("/chargebacks/{chargebackId}/outcome", path, { status: 2 })).status).toBe(404);
  });
});
