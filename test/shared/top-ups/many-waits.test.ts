import { expect, it } from "vitest";
import { deadlinePut, deadlines } from "../../../shared/platform/deadlines.ts";
import { newId } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { retryDeadline, topUpWaits } from "../../../shared/top-ups/top-up.ts";
import { retryTopUps } from "../../../shared/top-ups/top-up-card.ts";
import { givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { measure } from "../../harness/measure.ts";

it("of Cards that wait for a Wallet, some are tried at a time, and the others at once after them", async () => {
  const programId = await givenStoredProgram();
  const walletId = await givenStoredWallet(programId, 10_000);
  const lackedAt = "2026-11-30T10:00:00.000Z";
  const waits = Array.from({ length: 2_100 }, () => newId("card")).map((cardId) => ({
    put: { ...topUpWaits.at(programId, walletId, lackedAt, cardId).key, cardId, lackedAt, amountMinor: 1 },
  }));
  await writeBatch(waits);
  const deadline = { ...retryDeadline(programId, walletId, new Date(Date.now() - 120_000)) };
  await transact([deadlinePut(deadline)]);
  const { cost } = await measure(() => retryTopUps(deadline));
  const { dueAt = "" } = (await deadlines.at(programId, deadline.deadlineId).get()) ?? {};
  expect(Date.parse(dueAt.split("#")[0] ?? "")).toBeLessThanOrEqual(Date.now());
  expect(cost.calls.length).toBeLessThan(4_100);
});
