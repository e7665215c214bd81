import { afterEach, describe, expect, it, vi } from "vitest";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import type { MandateView, PullView } from "../../../shared/contract/pulls.ts";
import { applyOutcome } from "../../../shared/payments/apply-outcome.ts";
import type { Outcome } from "../../../shared/payments/outcome.ts";
import { type Payment, payments, sentWrites } from "../../../shared/payments/payment.ts";
import { now } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { operate } from "../../harness/administration.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenProgram, givenWallet } from "../../harness/given-cards.ts";
import { givenExternalAccount } from "../../harness/given-payouts.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

afterEach(() => {
  vi.useRealTimers();
});

type Said = Pick<Outcome, "status" | "amountMinor" | "reasonCode">;

const credit: Said = { status: "collected", amountMinor: 1_000 };
const rejection: Said = { status: "rejected", reasonCode: "AM04" };
const returned: Said = { status: "returned", reasonCode: "MD06" };

/** A Program with a Wallet, a verified external account and a mandate. */
async function given(settings: object = {}) {
  const program = await givenProgram({ settings });
  const { programId } = program;
  const walletId = await givenWallet(program, 0);
  const externalAccountId = await givenExternalAccount(programId);
  const signed = { signedAt: "2026-11-01" };
  const newMandate = async (): Promise<MandateView> => {
    const path = { externalAccountId };
    const route = "POST /external-accounts/{externalAccountId}/mandates";
    return (await program.call(route, { path, body: signed })).body.data;
  };
  const { mandateId } = await newMandate();
  const create = (body: object = {}, headers = {}) => {
    const sent = { walletId, externalAccountId, mandateId, amount: 1_000, ...body };
    return program.call("POST /pulls", { body: sent, headers });
  };
  const created = async (body: object = {}): Promise<PullView> => (await create(body)).body.data;
  const on = (pullId: string) => ({ path: { pullId } });
  const send = async (pullId: string) => {
    const payment = (await payments.at(programId, pullId).get()) as Payment;
    const writes = sentWrites(payment, { fileId: "file-1", at: now(), timeZone: "Etc/UTC" });
    return (await transact(writes)).committed;
  };
  return {
    ...{ program, programId, walletId, externalAccountId, mandateId, newMandate, create, created, send },
    report: (pullId: string, said: Said) =>
      applyOutcome({ programId, paymentId: pullId, kind: "pull", ...said }),
    cancel: (pullId: string) => program.call("POST /pulls/{pullId}/cancel", on(pullId)),
    view: async (pullId: string): Promise<PullView> =>
      (await program.call("GET /pulls/{pullId}", on(pullId))).body.data,
    mandate: async (id = mandateId): Promise<MandateView> =>
      (
        await program.call("GET /external-accounts/{externalAccountId}/mandates/{mandateId}", {
          path: { externalAccountId, mandateId: id },
        })
      ).body.data,
    balances: async () => {
      const { availableMinor, pendingDepositMinor } = balancesIn(
        await expectBooksInOrder(programId),
        walletId,
      );
      return [availableMinor, pendingDepositMinor];
    },
  };
}

async function passDays(days: number) {
  vi.setSystemTime(Date.now() + days * 86_400_000);
  await sweepDeadlines();
}

/** A Monday. */
const monday = Date.UTC(2031, 0, 6, 12);

describe("a pull", () => {
  it("is a pending deposit when it is collected, and cleared after five bank days", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: monday });
    const { created, send, report, view, balances, program, walletId } = await given();
    const made = await created();
    expect(made).toMatchObject({ transStatus: 0, status: "pending", sequence: "first" });
    await send(made.pullId);
    expect(await balances()).toEqual([0, 0]);
    await report(made.pullId, credit);
    expect(await balances()).toEqual([0, 1_000]);
    expect(await view(made.pullId)).toMatchObject({
      ...{ transStatus: 0, status: "collected", availableOn: "2031-01-13T00:00:00.000Z" },
      returnableUntil: "2031-03-03T12:00:00.000Z",
    });
    await passDays(6);
    expect(await balances()).toEqual([0, 1_000]);
    await passDays(0.5);
    expect(await balances()).toEqual([1_000, 0]);
    expect(await view(made.pullId)).toMatchObject({ transStatus: 1, status: "completed" });
    await report(made.pullId, returned);
    expect(await balances()).toEqual([0, 0]);
    expect(await view(made.pullId)).toMatchObject({ status: "returned", reasonCode: "MD06" });
    const listed = await program.call("GET /wallets/{walletId}/transactions", { path: { walletId } });
    const types = listed.body.items.map(({ type, amount }: { type: string; amount: number }) => [
      type,
      amount,
    ]);
    expect(types).toEqual([
      ["pull_return", -1_000],
      ["pull", 1_000],
    ]);
  });

  it("has its outcome in a sandbox with its whole amount, or without one", async () => {
    const { program, created, view } = await given();
    const { pullId } = await created();
    const say = (body: object) => program.call("POST /pulls/{pullId}/outcome", { path: { pullId }, body });
    const refused = await say({ status: "collected", amount: 999 });
    expect([refused.status, refused.body.errors]).toMatchObject([422, [{ path: "body.amount" }]]);
    expect((await view(pullId)).status).toBe("pending");
    expect((await say({ status: "collected", amount: 1_000 })).body.data.status).toBe("collected");
    expect((await say({ status: "returned" })).body.data.status).toBe("returned");
  });

  it("is held also while banks have a holiday", async () => {
    // A Friday; the Monday is Martin Luther King's.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 0, 17, 12) });
    const { created, send, report, view } = await given({ pulls: { holdDays: 1 } });
    const { pullId } = await created();
    await send(pullId);
    await report(pullId, credit);
    expect(await view(pullId)).toMatchObject({ availableOn: "2031-01-21T00:00:00.000Z" });
  });

  it.each(["MD01", "MD07", "AC04"])("cancels its mandate by %s, and by no other code", async (reasonCode) => {
    const { created, create, send, report, mandate } = await given();
    const [one, other] = [await created(), await created()];
    for (const { pullId } of [one, other]) await send(pullId);
    await report(one.pullId, rejection);
    expect((await mandate()).status).toBe("active");
    await report(other.pullId, { status: "returned", reasonCode });
    expect(await mandate()).toMatchObject({ status: "cancelled", reasonCode });
    // These two suspend the account, too.
    const isSuspended = reasonCode !== "MD01";
    expect((await create()).body.code).toBe(
      isSuspended ? "EXTERNAL_ACCOUNT_NOT_VERIFIED" : "MANDATE_CANCELLED",
    );
  });

  it("is refused without a verified account or a mandate, and above a limit it is a decline", async () => {
    const { create, programId, externalAccountId, program } = await given({
      pulls: { singleMax: 1_500, dailyMax: 2_000 },
    });
    const suspended = await givenExternalAccount(programId, "suspended");
    expect((await create({ mandateId: newId("mandate") })).status).toBe(404);
    expect((await create({ walletId: newId("wallet") })).status).toBe(404);
    const route = "POST /external-accounts/{externalAccountId}/mandates";
    const path = { externalAccountId: suspended };
    const { mandateId } = (await program.call(route, { path, body: { signedAt: "2026-11-01" } })).body.data;
    const refused = await create({ externalAccountId: suspended, mandateId });
    expect(refused.body.code).toBe("EXTERNAL_ACCOUNT_NOT_VERIFIED");
    expect((await create({ amount: 1_501 })).body.data).toMatchObject({
      ...{ transStatus: 2, status: "declined", declineReason: "LIMIT_EXCEEDED" },
    });
    const some = await Promise.all([create(), create(), create()]);
    expect(some.map(({ body }) => body.data.status).toSorted()).toEqual(["declined", "pending", "pending"]);
    const query = { status: "pending", externalAccountId } as const;
    expect((await program.call("GET /pulls", { query })).body.total).toBe(2);
  });

  it("has a hold no shorter than the operator's, and limits within them", async () => {
    const { program, programId } = await given();
    await operate("set-funding-limits", { programId, pulls: { dailyMax: 5_000, holdDays: 3 } });
    const path = { programId };
    const set = (pulls: object) =>
      program.call("PUT /account/programs/{programId}/settings", { path, body: { pulls } });
    expect((await set({ dailyMax: 5_001 })).body.errors[0].path).toBe("body.pulls.dailyMax");
    expect((await set({ holdDays: 2 })).body.errors[0].path).toBe("body.pulls.holdDays");
    expect((await set({ dailyMax: 5_000, holdDays: 3 })).status).toBe(200);
  });
});

describe("of two at once", () => {
  it("the processor's return of the deposit and the bank's of the pull: it goes back once", async () => {
    const { programId, created, send, report, view, balances } = await given();
    const { pullId } = await created();
    await send(pullId);
    await report(pullId, credit);
    const { depositId } = await view(pullId);
    await Promise.all([
      processor({ kind: "deposit_returned", programId, eventId: newId("event"), depositId }),
      report(pullId, returned),
    ]);
    expect((await view(pullId)).status).toBe("returned");
    expect(await balances()).toEqual([0, 0]);
  });
});

it("is not collected before today, which is the Program's day", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 2, 4, 23, 30) });
  const { create } = await given({ timeZone: "Europe/Berlin" });
  const { status, body } = await create({ collectOn: "2031-03-04" });
  expect([status, body.errors]).toEqual([422, [expect.objectContaining({ path: "body.collectOn" })]]);
  const key = { "Idempotency-Key": "once" };
  const first = await create({ collectOn: "2031-03-05" }, key);
  expect(first.body.data).toMatchObject({ status: "pending", collectOn: "2031-03-05" });
  vi.setSystemTime(Date.UTC(2031, 2, 5, 23, 10));
  // Said again on the next day, it is the same pull.
  expect((await create({ collectOn: "2031-03-05" }, key)).body.data).toEqual(first.body.data);
});

it("is no other payment: the ids of others name none", async () => {
  const { program } = await given();
  const path = { pullId: newId("payout") };
  for (const route of ["GET /pulls/{pullId}", "POST /pulls/{pullId}/cancel"] as const)
    expect((await program.call(route, { path, body: {} })).body.code).toBe("NOT_FOUND");
});
