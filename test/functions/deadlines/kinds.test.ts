import { readFileSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { actions, executeDeadline } from "../../../functions/deadlines/sweep.ts";
import { newPaymentId } from "../../../shared/payments/payment.ts";
import { clearing, clearingId } from "../../../shared/payments/pull.ts";
import { deadlinePut, deadlines } from "../../../shared/platform/deadlines.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { sourceFiles } from "../../harness/source-files.ts";

it("the sweep knows what to do at each kind of deadline that a capability declares", () => {
  const declared = sourceFiles("shared")
    .map(({ path }) => readFileSync(path, "utf8"))
    .flatMap((text) => [...text.matchAll(/defineDeadline\(\s*"(\w+)"/g)].map(([, kind]) => kind));
  expect(declared.length).toBeGreaterThan(10);
  expect(Object.keys(actions).toSorted()).toEqual(declared.toSorted());
});

it("what is found due, by a clock that is set back since, is left to the next sweep", async () => {
  const [ownerId, pullId] = [newId("program"), newPaymentId("pull")];
  const dueAt = new Date(Date.now() + 1_000);
  const deadline = { ...clearing.at({ ownerId, deadlineId: clearingId(pullId), dueAt, pullId }) };
  await transact([deadlinePut(deadline)]);
  const stored = deadlines.at(ownerId, deadline.deadlineId);
  expect(await executeDeadline(deadline)).toBe(false);
  expect(await stored.get()).toMatchObject({ pullId });
  vi.useFakeTimers({ toFake: ["Date"], now: dueAt });
  onTestFinished(() => void vi.useRealTimers());
  expect(await executeDeadline(deadline)).toBe(true);
  expect(await stored.get()).toBeUndefined();
});
