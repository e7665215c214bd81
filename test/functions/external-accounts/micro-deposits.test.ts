import { afterEach, describe, expect, it, vi } from "vitest";
import { applyOutcome } from "../../../shared/payments/apply-outcome.ts";
import { drawAmounts } from "../../../shared/payments/micro-deposit.ts";
import type { Outcome } from "../../../shared/payments/outcome.ts";
import { payments, readPending, sentWrites } from "../../../shared/payments/payment.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { newIban } from "../../harness/bank-accounts.ts";
import { interruptEach } from "../../harness/faults.ts";
import { givenProgram } from "../../harness/given-cards.ts";
import { storedEvents, storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

afterEach(() => void vi.useRealTimers());

const dayMs = 86_400_000;

async function givenMicroDeposits(settings: object = {}) {
  const program = await givenProgram({ settings });
  const { programId } = program;
  const body = { holderName: "Ada Lovelace", holderType: "person", iban: newIban() };
  const { externalAccountId } = (await program.call("POST /external-accounts", { body })).body.data;
  const path = { externalAccountId };
  const verify = () =>
    program.call("POST /external-accounts/{externalAccountId}/verification", {
      path,
      body: { method: "micro_deposits" },
    });
  const begun = await verify();
  expect(begun.body.data).toMatchObject({ status: "pending" });
  const shown = await program.call("GET /external-accounts/{externalAccountId}/micro-deposits", { path });
  const amounts: readonly [number, number] = shown.body.data.amounts;
  const pending = await readPending(programId, "pain.001", 10);
  const wrong = [50 - Math.max(...amounts), 50 - Math.max(...amounts)];
  return {
    ...{ program, programId, path, amounts, wrong, pending, begun, verify },
    view: async () => (await program.call("GET /external-accounts/{externalAccountId}", { path })).body.data,
    confirm: (given: readonly number[]) =>
      program.call("POST /external-accounts/{externalAccountId}/verification/confirm", {
        path,
        body: { amounts: given },
      }),
    send: async () => {
      const inFile = { fileId: newId("event"), at: new Date(), timeZone: "Europe/Berlin" };
      await transact(pending.flatMap((payment) => sentWrites(payment, inFile)));
    },
    tell: (outcome: Omit<Outcome, "programId" | "paymentId">, paymentId?: string) =>
      applyOutcome({
        ...{ programId, kind: "micro_deposit", paymentId: paymentId ?? pending[0]?.paymentId ?? "" },
        ...outcome,
      }),
    reserve: async () =>
      (await storedItems(programId))
        .flatMap(({ postings }) => (postings ?? []) as { account: string; amountMinor: number }[])
        .filter(({ account }) => account === "program_reserve")
        .reduce((sum, { amountMinor }) => sum + amountMinor, 0),
  };
}

describe("micro-deposits", () => {
  it("are two payments of the next file, of the amounts that the sandbox alone shows", async () => {
    const { amounts, pending, begun, view, path } = await givenMicroDeposits();
    expect(pending.map(({ amountMinor }) => amountMinor)).toEqual(amounts);
    for (const { kind, externalAccountId, walletId } of pending)
      expect([kind, externalAccountId, walletId]).toEqual([
        "micro_deposit",
        path.externalAccountId,
        undefined,
      ]);
    for (const shown of [begun.body.data, await view()]) {
      expect(JSON.stringify(shown)).not.toContain("amounts");
      expect(shown).not.toHaveProperty("microDeposits");
    }
  });

  it("are in the bank's file", async () => {
    const { program, amounts, pending } = await givenMicroDeposits({ bankAccount: newIban() });
    const { body } = await program.call("POST /payment-files", {});
    expect(body.status, JSON.stringify(body)).toBe("success");
    const [{ count, sum, xml }] = body.data.files;
    expect([count, sum]).toEqual([2, amounts[0] + amounts[1]]);
    for (const { endToEndId } of pending) expect(xml).toContain(endToEndId);
  });

  it("are told to nobody: no log, event, audit record or webhook has an amount of them", async () => {
    const lines: string[] = [];
    const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(String(text)) > 0);
    const given = await givenMicroDeposits({ bankAccount: newIban() });
    const { program, programId, confirm, wrong, tell, pending, amounts } = given;
    await confirm(wrong);
    await program.call("POST /payment-files", {});
    await tell({ status: "accepted" });
    await tell({ status: "completed" });
    await tell({ status: "returned", reasonCode: "MS03" }, pending[1]?.paymentId);
    spy.mockRestore();
    const events = await storedEvents(programId);
    expect(events.map(({ kind }) => kind)).toContain("payments.ready");
    const { body } = await program.call("GET /account/audit-log", {});
    const told = [...events.filter(({ kind }) => kind !== "payments.ready"), ...body.items];
    const numbers = (value: unknown): number[] =>
      typeof value === "number"
        ? [value]
        : value && typeof value === "object"
          ? Object.values(value).flatMap(numbers)
          : [];
    // The number of wrong attempts alone.
    expect(told.flatMap(({ detail, before, after }) => numbers([detail, before, after]))).toEqual([1]);
    for (const line of lines) expect(line).not.toMatch(/amounts?(Minor)?"/);
    // Only the sum of the file is announced.
    const ready = events.find(({ kind }) => kind === "payments.ready");
    expect(ready?.detail).toMatchObject({ sum: amounts[0] + amounts[1], count: 2 });
  });

  it("are no payouts", async () => {
    const { program, pending } = await givenMicroDeposits();
    const path = { payoutId: pending[0]?.paymentId ?? "" };
    for (const route of ["GET /payouts/{payoutId}", "POST /payouts/{payoutId}/cancel"] as const)
      expect((await program.call(route, { path, body: {} })).body.code).toBe("NOT_FOUND");
  });

  it("differ, and are 1 to 49 minor units", () => {
    const drawn = Array.from({ length: 5_000 }, drawAmounts);
    expect(drawn.every(([one, other]) => one !== other)).toBe(true);
    const all = new Set(drawn.flat());
    expect([Math.min(...all), Math.max(...all), all.size]).toEqual([1, 49, 49]);
  });

  it("told wrong five times at once are five attempts, and a sixth is none", async () => {
    const { confirm, wrong, view } = await givenMicroDeposits();
    const answers = await Promise.all(Array.from({ length: 6 }, () => confirm(wrong)));
    const counted = answers.filter(({ body }) => body.code === "AMOUNTS_WRONG");
    expect(counted.map(({ body }) => body.attemptsLeft).toSorted()).toEqual([0, 1, 2, 3, 4]);
    expect(answers.filter(({ body }) => body.code === "ILLEGAL_TRANSITION")).toHaveLength(1);
    expect((await view()).status).toBe("failed");
  });

  it("or the deadline at the same moment: one wins", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { confirm, amounts, view } = await givenMicroDeposits();
    vi.setSystemTime(Date.now() + 14 * dayMs - 1);
    const confirming = confirm(amounts);
    vi.setSystemTime(Date.now() + 2);
    const [answer] = await Promise.all([confirming, sweepDeadlines()]);
    const { status } = await view();
    expect([answer.status, status]).toEqual(answer.status === 200 ? [200, "verified"] : [409, "failed"]);
    expect((await confirm(amounts)).status).toBe(answer.status);
  });
});

describe("what the bank says of a micro-deposit", () => {
  it("is booked once: the Program's reserve pays", async () => {
    const { send, tell, reserve, amounts, view } = await givenMicroDeposits();
    expect(await tell({ status: "completed" })).toEqual({ result: "refused", reason: "NOT_SENT" });
    await send();
    expect(await tell({ status: "completed" })).toMatchObject({ result: "applied" });
    expect(await tell({ status: "completed" })).toMatchObject({ result: "known" });
    expect(await reserve()).toBe(-amounts[0]);
    expect((await view()).status).toBe("pending");
  });

  it.each(["rejected", "returned"] as const)("fails its verification if it is %s", async (status) => {
    const { send, tell, reserve, view, verify } = await givenMicroDeposits();
    await send();
    expect(await tell({ status })).toMatchObject({ result: "applied" });
    expect(await tell({ status })).toMatchObject({ result: "known" });
    expect(await view()).toMatchObject({ status: "failed", statusReason: "RETURNED" });
    expect(await reserve()).toBe(0);
    // A verification that is begun anew is not of these payments.
    await verify();
    expect(await tell({ status: status === "rejected" ? "returned" : "completed" })).toBeDefined();
    expect((await view()).status).toBe("pending");
  });
});

it("a micro-deposit comes back once: another entry of the bank's is other money", async () => {
  const { send, tell, reserve } = await givenMicroDeposits();
  await send();
  const by = (entry: string) => {
    const movedBy = { status: "returned", report: "054", file: `${entry}.xml`, name: entry, entry } as const;
    return tell({ status: "returned", entry, movedBy });
  };
  expect(await by("R1")).toMatchObject({ result: "applied" });
  expect(await by("R1")).toMatchObject({ result: "known" });
  expect(await by("R2")).toEqual({ result: "refused", reason: "BOOKED_TWICE" });
  expect(await tell({ status: "returned" })).toMatchObject({ result: "known" });
  expect(await reserve()).toBe(0);
});

describe("an account that no payment reaches", () => {
  it.each(["AC01", "AC04", "AC06", "MD07", "BE04"])(
    "is suspended by %s until it is verified",
    async (reasonCode) => {
      const { send, tell, confirm, amounts, view, verify } = await givenMicroDeposits();
      await send();
      await confirm(amounts);
      await tell({ status: "returned", reasonCode });
      expect(await view()).toMatchObject({ status: "suspended", statusReason: reasonCode });
      expect((await verify()).body.data).toMatchObject({ status: "pending" });
    },
  );

  it("is suspended by the commit that books why: no kill comes between", async () => {
    const { send, tell, confirm, amounts, view, programId, pending } = await givenMicroDeposits();
    await send();
    await confirm(amounts);
    let commits = 0;
    {
      using _kill = interruptEach(
        (command) => command.startsWith("TransactWrite"),
        async () => {
          commits += 1;
          if (commits > 1) throw new Error("Killed.");
        },
      );
      await tell({ status: "returned", reasonCode: "AC04" });
    }
    expect(commits).toBe(1);
    expect((await payments.at(programId, pending[0]?.paymentId ?? "").require()).status).toBe("returned");
    expect(await view()).toMatchObject({ status: "suspended", statusReason: "AC04" });
  });

  it("stays verified after another reason, and an old report said again", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { send, tell, confirm, amounts, view, verify, program, path } = await givenMicroDeposits();
    await send();
    await confirm(amounts);
    await tell({ status: "rejected", reasonCode: "AM04" });
    expect((await view()).status).toBe("verified");
    await tell({ status: "returned", reasonCode: "AC04" });
    expect((await view()).status).toBe("suspended");
    vi.setSystemTime(Date.now() + 1_000);
    await verify();
    const shown = await program.call("GET /external-accounts/{externalAccountId}/micro-deposits", { path });
    await confirm(shown.body.data.amounts);
    await tell({ status: "returned", reasonCode: "AC04" });
    expect((await view()).status).toBe("verified");
  });
});
