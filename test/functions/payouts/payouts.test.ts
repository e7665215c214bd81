import { afterEach, describe, expect, it, vi } from "vitest";
import { splitWallet } from "../../../shared/ledger/hot/split-wallet.ts";
import { findPayment, readPending } from "../../../shared/payments/payment.ts";
import { givenProgram, givenWallet } from "../../harness/given-cards.ts";
import {
  callsOf,
  givenExternalAccount,
  givenPayouts,
  type Payouts,
  resultOf,
} from "../../harness/given-payouts.ts";
import { allRefused } from "../../harness/refused.ts";
import { storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

// Measurements are written at every level.
process.env.LOG_LEVEL = "ERROR";

afterEach(() => void vi.useRealTimers());

const hours = (count: number) => count * 3_600_000;
function travel(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}

const proof = async ({ program, walletId }: Payouts) =>
  (await program.call("GET /wallets/{walletId}/balance/proof", { path: { walletId } })).body.data;
const walletLines = async ({ program, walletId }: Payouts) =>
  (
    await program.call("GET /wallets/{walletId}/transactions", {
      path: { walletId },
      query: { sort: "asc" },
    })
  ).body.items.map(({ type, amount, relatedId }: { type: string; amount: number; relatedId: string }) => ({
    ...{ type, amount, relatedId },
  }));

describe("POST /payouts", () => {
  it("200: holds amount and fee, and waits for a file", async () => {
    const given = await givenPayouts(10_000, { fee: 50 });
    const { create, balances, view, events, walletId, externalAccountId, program } = given;
    const { status, body } = await create({ reference: "INVOICE-7", externalId: "order-7" });
    const { payoutId } = body.data;
    expect([status, body.data]).toEqual([
      200,
      {
        ...{ payoutId, transStatus: 0, status: "pending", amount: 1_000, fee: 50, currency: 0 },
        ...{ walletId, externalAccountId, reference: "INVOICE-7", externalId: "order-7" },
        endToEndId: `PAY${payoutId.slice(4)}`,
        createdBy: program.caller.apiUserId,
        dateCreated: expect.any(String),
      },
    ]);
    expect(await balances()).toEqual({ available: 8_950, held: 1_050, ledger: 10_000 });
    expect(await view(payoutId)).toEqual(body.data);
    expect(await events(payoutId)).toMatchObject([{ status: "pending", by: program.caller.apiUserId }]);
    const [waiting] = await readPending(program.programId, "pain.001", 10);
    expect(waiting?.paymentId).toBe(payoutId);
    expect(await findPayment(` pay ${payoutId.slice(4)}`.toLowerCase())).toEqual(waiting);
    expect(await findPayment(payoutId.slice(4))).toEqual(waiting);
    expect(await findPayment("PAY01K5Q2T4C0X7M2Z9V6B3N8D1FR")).toBeUndefined();
    expect(await proof(given)).toMatchObject({ proven: true, openHolds: { count: 1, amount: 1_050 } });
  });

  it("200: what the Wallet lacks is declined and recorded, and holds nothing", async () => {
    const { created, balances } = await givenPayouts(1_049, { fee: 50 });
    expect(await created()).toMatchObject({
      ...{ transStatus: 2, status: "declined", declineReason: "INSUFFICIENT_FUNDS" },
    });
    expect(await created({ amount: 999 })).toMatchObject({ status: "pending" });
    expect(await balances()).toEqual({ available: 0, held: 1_049, ledger: 1_049 });
  });

  it("200: above a limit it is declined; what was cancelled or declined does not count", async () => {
    const { created, cancel, balances, program } = await givenPayouts(10_000, {
      ...{ singleMax: 1_000, dailyMax: 1_500 },
    });
    const limited = { status: "declined", transStatus: 2, declineReason: "LIMIT_EXCEEDED" };
    expect(await created({ amount: 1_001 })).toMatchObject(limited);
    const { payoutId } = await created({ amount: 1_000 });
    expect(await created({ amount: 501 })).toMatchObject(limited);
    expect(await created({ amount: 500 })).toMatchObject({ status: "pending" });
    await cancel(payoutId);
    expect(await created({ amount: 1_000 })).toMatchObject({ status: "pending" });
    expect(await created({ amount: 1 })).toMatchObject(limited);
    travel(hours(24));
    expect(await created({ amount: 1_000 })).toMatchObject({ status: "pending" });
    expect(await balances()).toMatchObject({ held: 2_500 });
    const payouts = { singleMax: 1 };
    await program.operate("set-funding-limits", { programId: program.programId, payouts });
    expect(await created({ amount: 2 })).toMatchObject(limited);
    const path = { programId: program.programId };
    const route = "PUT /account/programs/{programId}/settings";
    const refused = await program.call(route, { path, body: { payouts: { singleMax: 2 } } });
    expect(refused.body.errors).toMatchObject([{ path: "body.payouts.singleMax" }]);
    expect((await program.call(route, { path, body: { payouts: { fee: 3 } } })).body.data).toMatchObject({
      payouts: { fee: 3 },
    });
  });

  it("200: dailyMax is of the Program's day, and a payout counts for the day that made it", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 2, 4, 22, 30) });
    const settings = { payouts: { dailyMax: 1_000 }, timeZone: "Europe/Berlin" };
    const program = await givenProgram({ settings });
    const walletId = await givenWallet(program, 10_000);
    const account = await givenExternalAccount(program.programId);
    const { created, cancel } = callsOf(program, walletId, account);
    const first = await created();
    expect(first).toMatchObject({ status: "pending" });
    expect(await created({ amount: 1 })).toMatchObject({ declineReason: "LIMIT_EXCEEDED" });
    // In Berlin it is the next day.
    vi.setSystemTime(Date.UTC(2031, 2, 4, 23, 10));
    expect(await created({ amount: 999 })).toMatchObject({ status: "pending" });
    expect((await cancel(first.payoutId)).status).toBe(200);
    expect(await created({ amount: 2 })).toMatchObject({ declineReason: "LIMIT_EXCEEDED" });
    // In UTC, too, but in Berlin it is still the same.
    vi.setSystemTime(Date.UTC(2031, 2, 5, 0, 30));
    expect(await created({ amount: 2 })).toMatchObject({ declineReason: "LIMIT_EXCEEDED" });
    expect(await created({ amount: 1 })).toMatchObject({ status: "pending" });
    vi.setSystemTime(Date.UTC(2031, 2, 5, 23, 1));
    expect(await created()).toMatchObject({ status: "pending" });
  });

  it("404 for a Wallet or account of another Program, 409 for an account that is not verified", async () => {
    const { create, balances, program } = await givenPayouts();
    const other = await givenPayouts();
    const { walletId, externalAccountId } = other;
    expect((await create({ walletId })).status).toBe(404);
    expect((await create({ externalAccountId })).status).toBe(404);
    for (const status of ["new", "suspended"] as const) {
      const unverified = await givenExternalAccount(program.programId, status);
      const { status: code, body } = await create({ externalAccountId: unverified });
      expect([code, body.code]).toEqual([409, "EXTERNAL_ACCOUNT_NOT_VERIFIED"]);
    }
    const { body } = await create({ externalId: "order-1" });
    expect((await create({ externalId: "order-1" })).body).toMatchObject({
      ...{ code: "EXTERNAL_ID_EXISTS" },
    });
    expect(await balances()).toMatchObject({ held: body.data.amount });
  });

  it("a Wallet that many pay out of at once refuses none that it covers", async () => {
    const { created, balances } = await givenPayouts(20_000);
    const made = await Promise.all(Array.from({ length: 20 }, () => created({ amount: 1_000 })));
    expect(made.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => "pending"));
    expect(await created({ amount: 1 })).toMatchObject({ declineReason: "INSUFFICIENT_FUNDS" });
    expect(await balances()).toEqual({ available: 0, held: 20_000, ledger: 20_000 });
  });

  it("a Wallet that is split over 64 parts pays out what no part has alone, and declines what all lack", async () => {
    const { created, balances, program, walletId, cancel } = await givenPayouts(64_000, { fee: 10 });
    const account = { kind: "wallet", accountId: walletId } as const;
    const isSplit = async () => (await splitWallet(program.programId, account, 0))?.shards !== undefined;
    expect(await isSplit()).toBe(true);
    expect(await created({ amount: 64_000 })).toMatchObject({ declineReason: "INSUFFICIENT_FUNDS" });
    const { payoutId, status } = await created({ amount: 63_990 });
    expect(status).toBe("pending");
    expect(await balances()).toEqual({ available: 0, held: 64_000, ledger: 64_000 });
    await cancel(payoutId);
    expect(await balances()).toEqual({ available: 64_000, held: 0, ledger: 64_000 });
  });
});

describe("a payout above approvalAbove", () => {
  const settings = { approvalAbove: 999, fee: 10 };

  it("waits until another API user approves it", async () => {
    const { created, approve, selfApprove, events, balances, program } = await givenPayouts(5_000, settings);
    expect(await created({ amount: 999 })).toMatchObject({ status: "pending" });
    const { payoutId, status } = await created();
    expect(status).toBe("awaiting_approval");
    const own = await selfApprove(payoutId);
    expect([own.status, own.body.code]).toEqual([403, "SECOND_PERSON"]);
    const approved = await approve(payoutId);
    expect(approved.body.data).toMatchObject({ status: "pending", approvedBy: expect.any(String) });
    expect((await approve(payoutId)).body.code).toBe("ILLEGAL_TRANSITION");
    expect((await events(payoutId)).map((one) => one.status)).toEqual(["awaiting_approval", "pending"]);
    expect((await readPending(program.programId, "pain.001", 10)).map((one) => one.amountMinor)).toEqual([
      999, 1_000,
    ]);
    expect(await balances()).toEqual({ available: 2_981, held: 2_019, ledger: 5_000 });
  });

  it("is declined by a person, or after 72 hours; not a moment before", async () => {
    const { created, decline, approve, view, balances } = await givenPayouts(5_000, settings);
    const [one, other] = [await created(), await created()];
    expect((await decline(one.payoutId)).body.data).toMatchObject({
      ...{ status: "declined", transStatus: 2, declineReason: "NOT_APPROVED" },
    });
    travel(hours(72) - 60_000);
    await sweepDeadlines();
    expect((await view(other.payoutId)).status).toBe("awaiting_approval");
    travel(120_000);
    expect((await approve(other.payoutId)).body.code).toBe("ILLEGAL_TRANSITION");
    await sweepDeadlines();
    expect(await view(other.payoutId)).toMatchObject({ status: "declined", declineReason: "NOT_APPROVED" });
    expect(await balances()).toEqual({ available: 5_000, held: 0, ledger: 5_000 });
  });

  it("is not approved for an account that is not verified any more", async () => {
    const { created, approve, cancel, program, externalAccountId, walletId } = await givenPayouts(
      ...([5_000, settings] as const),
    );
    const { payoutId } = await created();
    const { externalAccounts } = await import("../../../shared/external-accounts/external-account.ts");
    const account = externalAccounts.at(program.programId, externalAccountId);
    await account.updateNow({ set: { status: "suspended" } });
    expect((await approve(payoutId)).body.code).toBe("EXTERNAL_ACCOUNT_NOT_VERIFIED");
    expect((await cancel(payoutId)).body.data).toMatchObject({ status: "cancelled", walletId });
  });
});

describe("what ends a payout", () => {
  it("completed: amount and fee leave the Wallet, each in a line of its own", async () => {
    const given = await givenPayouts(10_000, { fee: 50 });
    const { created, send, report, balances, view } = given;
    const { payoutId } = await created({ reference: "INVOICE-7" });
    expect(await report(payoutId, { status: "completed" })).toEqual({
      result: "refused",
      reason: "NOT_SENT",
    });
    await send(payoutId);
    expect(resultOf(await report(payoutId, { status: "accepted" }))).toBe("known");
    expect(resultOf(await report(payoutId, { status: "completed" }))).toBe("applied");
    expect(resultOf(await report(payoutId, { status: "completed" }))).toBe("known");
    expect(await balances()).toEqual({ available: 8_950, held: 0, ledger: 8_950 });
    expect(await view(payoutId)).toMatchObject({ status: "completed", transStatus: 1, fileId: "file-1" });
    expect((await walletLines(given)).slice(1)).toEqual([
      { type: "payout", amount: -1_000, relatedId: payoutId },
      { type: "payout_fee", amount: -50, relatedId: payoutId },
    ]);
    expect(await proof(given)).toMatchObject({ proven: true });
    const items = await storedItems(given.program.programId);
    expect(items.filter(({ sk }) => sk === "DEADLINE")).toEqual([]);
  });

  it("has no file where a sandbox without an account at a bank sends it", async () => {
    const { created, program } = await givenPayouts();
    const { payoutId } = await created();
    const path = { payoutId };
    const told = await program.call("POST /payouts/{payoutId}/outcome", {
      path,
      body: { status: "completed" },
    });
    expect(told.body.data).toMatchObject({ status: "completed", dateSent: expect.any(String) });
    expect(told.body.data).not.toHaveProperty("fileId");
  });

  it("returned: less the bank's charge, once, and never more than was paid", async () => {
    const given = await givenPayouts(10_000, { fee: 50 });
    const { created, send, report, balances, view } = given;
    const { payoutId } = await created();
    await send(payoutId);
    const more = { status: "returned", amountMinor: 1_001 } as const;
    expect(await report(payoutId, more)).toEqual({ result: "refused", reason: "AMOUNT_TOO_LARGE" });
    const back = { status: "returned", amountMinor: 990, reasonCode: "AC04" } as const;
    expect(resultOf(await report(payoutId, back))).toBe("applied");
    expect(resultOf(await report(payoutId, back))).toBe("known");
    expect(resultOf(await report(payoutId, { status: "returned" }))).toBe("kept");
    expect(await balances()).toEqual({ available: 9_940, held: 0, ledger: 9_940 });
    expect(await view(payoutId)).toMatchObject({
      ...{ status: "returned", transStatus: 4, returnedAmount: 990, reasonCode: "AC04" },
    });
    expect(await proof(given)).toMatchObject({ proven: true });
  });

  it("a rejection after the debit moves nothing and is kept, a debit after a rejection is booked", async () => {
    const given = await givenPayouts(1_000);
    const { created, send, report, balances, view, program, walletId } = given;
    const { payoutId } = await created();
    await send(payoutId);
    expect(resultOf(await report(payoutId, { status: "rejected", reasonCode: "AM04" }))).toBe("applied");
    expect(await view(payoutId)).toMatchObject({ status: "rejected", transStatus: 4, reasonCode: "AM04" });
    expect(await balances()).toEqual({ available: 1_000, held: 0, ledger: 1_000 });
    const body = { sourceWalletId: walletId, destinationType: 0, amount: 600 };
    const { walletId: destinationId } = (await program.call("POST /wallets", { body: { name: "Other" } }))
      .body.data;
    await program.call("POST /wallets/transfer", { body: { ...body, destinationId } });
    expect(resultOf(await report(payoutId, { status: "completed" }))).toBe("applied");
    expect(await balances()).toEqual({ available: -600, held: 0, ledger: -600 });
    expect(resultOf(await report(payoutId, { status: "rejected" }))).toBe("known");
    expect((await view(payoutId)).status).toBe("completed");
    expect((await allRefused()).filter(({ input }) => input.includes(payoutId))).toMatchObject([
      { port: "bank", programId: program.programId, reason: expect.stringContaining("10.00 USD") },
    ]);
  });

  it("without a report for five business days there is an alarm, and no change", async () => {
    const lines: string[] = [];
    const { created, send, report, view, balances } = await givenPayouts();
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2027-03-03T10:00:00Z") });
    const { payoutId } = await created();
    await send(payoutId);
    const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(String(text)) > 0);
    const alarms = () =>
      lines.filter((line) => line.includes("PaymentsUnreported") && line.includes(payoutId));
    vi.setSystemTime(new Date("2027-03-09T23:00:00Z"));
    await sweepDeadlines();
    expect(alarms()).toEqual([]);
    vi.setSystemTime(new Date("2027-03-10T00:01:00Z"));
    await sweepDeadlines();
    spy.mockRestore();
    expect(alarms()).toHaveLength(1);
    expect((await view(payoutId)).status).toBe("sent");
    expect(resultOf(await report(payoutId, { status: "completed" }))).toBe("applied");
    expect(await balances()).toMatchObject({ ledger: 9_000 });
  });
});
