import { afterEach, describe, expect, it, vi } from "vitest";
import { handler as wallets } from "../../../../functions/wallets/handler.ts";
import { toDepositReference } from "../../../../shared/contract/creditor-reference.ts";
import { DepositStatus } from "../../../../shared/contract/enums.ts";
import { deposits } from "../../../../shared/deposits/deposit.ts";
import { apiEvent } from "../../../harness/api-event.ts";
import { injectFaults } from "../../../harness/faults.ts";
import { givenStoredWallet } from "../../../harness/given-stored.ts";
import { replay } from "../../../harness/replay.ts";
import { sweepDeadlines } from "../../../harness/sweep-deadlines.ts";
import { givenBank, statusOf } from "./given-bank.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** A bank that reports, and clients that announce. */
async function given(isSimulated = false) {
  vi.stubEnv("SIMULATED_BANK", String(isSimulated));
  const bank = await givenBank();
  const { programId, wallet } = bank;
  const caller = { programId };
  const call = (route: string, path: object, body?: object) =>
    replay(wallets, apiEvent({ route, caller, path, body } as Parameters<typeof apiEvent>[0]));
  const announceDeposit = async (body: object = {}, walletId = wallet) => {
    const sent = { amount: 1250, ...body };
    const answer = await call("POST /wallets/{walletId}/bank-deposit", { walletId }, sent);
    return answer.body.data.depositId as string;
  };
  const cancel = (depositId: string) => call("POST /deposits/{depositId}/cancel", { depositId });
  const stored = (depositId: string) => deposits.at(programId, depositId).require();
  return { ...bank, announceDeposit, cancel, stored };
}

describe("a deposit that was announced, and that the bank reports", () => {
  it.each([
    ["its creditor reference", (id: string) => [`For ${toDepositReference(id)}`], {}],
    [
      "its creditor reference, in groups and small letters",
      (id: string) => [(toDepositReference(id) ?? "").toLowerCase().replace(/.{4}/g, "$& ")],
      {},
    ],
    ["its id", (id: string) => [`Deposit ${id.toLowerCase()}`], {}],
    ["its id, as SEPA carries it", (id: string) => [id.replace("_", " ")], {}],
    ["its reference", () => ["Payment inv 88/71. Thanks"], { reference: "INV-8871" }],
  ])("is one deposit by %s, with the bank's amount", async (_, textsOf, more) => {
    for (const amount of [1250, 1000, 1300]) {
      const { announceDeposit, report, transfer, stored, sums } = await given();
      const depositId = await announceDeposit(more);
      expect(await sums()).toEqual([0, 1250]);
      const event = transfer({ remittance: textsOf(depositId), amount });
      const outcomes = [await report(event, "1"), await report(event, "2"), await report(event, "1")];
      expect(outcomes.map(statusOf)).toEqual(["applied", "duplicate", "applied"]);
      expect(await sums()).toEqual([amount, 0]);
      const announcedMinor = amount === 1250 ? undefined : 1250;
      const facts = { status: DepositStatus.cleared, amountMinor: amount, isReported: true };
      expect(await stored(depositId)).toMatchObject(facts);
      expect((await stored(depositId)).announcedMinor).toBe(announcedMinor);
      // Another transfer that names it is another deposit, and claims no other one.
      const other = await announceDeposit();
      expect(statusOf(await report(transfer({ remittance: textsOf(depositId) })))).toBe("applied");
      expect(await sums()).toEqual([amount + 1250, 1250]);
      expect((await stored(other)).status).toBe(DepositStatus.pending);
    }
  });

  it("is not another Wallet's, currency's or amount's", async () => {
    const { programId, announceDeposit, report, transfer, stored, sums } = await given();
    const other = await givenStoredWallet(programId);
    const depositId = await announceDeposit({}, other);
    await report(transfer());
    await report(transfer({ remittance: [other], amount: 1249 }));
    await report(transfer({ remittance: [depositId], currency: "EUR" }));
    expect((await stored(depositId)).status).toBe(DepositStatus.pending);
    expect([await sums(), await sums(other)]).toEqual([
      [1250, 0],
      [1249, 1250],
    ]);
  });

  it("is found by creditor reference before id, id before reference, and that before the amount", async () => {
    const { wallet, announceDeposit, report, transfer, stored } = await given();
    const byAmount = await announceDeposit();
    const byReference = await announceDeposit({ reference: "INV-8871" });
    const [byId, byCreditor] = [await announceDeposit(), await announceDeposit()];
    const creditor = toDepositReference(byCreditor) ?? "";
    const remittance = [wallet, "INV-8871", byId];
    await report(transfer({ remittance, creditorReferences: [creditor] }));
    const all = [byCreditor, byId, byReference, byAmount];
    const open = async () => (await Promise.all(all.map(stored))).map(({ status }) => status);
    expect(await open()).toEqual([1, 0, 0, 0]);
    await report(transfer({ remittance }));
    expect(await open()).toEqual([1, 1, 0, 0]);
    await report(transfer({ remittance: [wallet, "INV-8871"] }));
    expect(await open()).toEqual([1, 1, 1, 0]);
    await report(transfer());
    expect(await open()).toEqual([1, 1, 1, 1]);
  });

  it("is named after its end: later money is a new deposit of its account, or in suspense", async () => {
    const { announceDeposit, cancel, report, transfer, sums } = await given();
    const depositId = await announceDeposit();
    await cancel(depositId);
    const event = transfer({ remittance: [toDepositReference(depositId)] });
    const outcomes = [await report(event, "1"), await report(event, "2")];
    expect(outcomes.map(statusOf)).toEqual(["applied", "duplicate"]);
    expect(await sums()).toEqual([1250, 0]);
    expect(statusOf(await report(transfer({ remittance: [depositId], currency: "EUR" })))).toBe("suspense");
  });

  it("is another one once it is cancelled, or its time is over", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 0, 1) });
    const { announceDeposit, cancel, report, transfer, sums } = await given();
    expect((await cancel(await announceDeposit())).status).toBe(200);
    const late = await announceDeposit({ expiresInDays: 1 });
    vi.setSystemTime(Date.now() + 86_400_000);
    await sweepDeadlines();
    await report(transfer());
    expect(await sums()).toEqual([1250, 0]);
    expect((await cancel(late)).status).toBe(409);
  });

  it("is finished by the repetition of a report that was cut off", async () => {
    const { announceDeposit, report, transfer, sums } = await given();
    await announceDeposit();
    const event = transfer();
    {
      using _ = injectFaults(({ command }) => (command === "TransactWriteItems" ? "lost" : undefined));
      await expect(report(event, "file#1")).rejects.toThrow();
    }
    expect(statusOf(await report(event, "file#1"))).toBe("applied");
    expect(await sums()).toEqual([1250, 0]);
  });

  it("is the same money where a simulated bank has cleared it, if the report names it", async () => {
    const { announceDeposit, report, transfer, stored, sums } = await given(true);
    const depositId = await announceDeposit({ reference: "INV-8871" });
    expect(await sums()).toEqual([1250, 0]);
    expect(statusOf(await report(transfer()))).toBe("applied");
    expect(await sums()).toEqual([2500, 0]);
    const event = transfer({ remittance: ["INV 8871"] });
    expect([statusOf(await report(event)), statusOf(await report(event))]).toEqual(["applied", "duplicate"]);
    expect(await sums()).toEqual([2500, 0]);
    expect((await stored(depositId)).isReported).toBe(true);
  });

  it("is returned as any other", async () => {
    const { announceDeposit, report, returned, transfer, stored, sums } = await given();
    const depositId = await announceDeposit();
    const event = transfer();
    await report(event);
    const references = { transaction: event.references.accountServicer };
    expect(statusOf(await report(returned({ bankReference: undefined, references })))).toBe("applied");
    expect((await stored(depositId)).status).toBe(DepositStatus.returned);
    expect(await sums()).toEqual([0, 0]);
  });
});
