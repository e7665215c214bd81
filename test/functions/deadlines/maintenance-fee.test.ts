import { afterEach, expect, test, vi } from "vitest";
import { expectBooksInOrder } from "../../harness/books.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenCard, givenProgram } from "../../harness/given-cards.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

afterEach(() => void vi.useRealTimers());

test("the maintenance fee is charged once a month, even with simultaneous sweeps and lost answers", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2049, 0, 31) });
  const program = await givenProgram({
    settings: { feeSchedule: [{ feeType: 2, amount: 200, basisPoints: 0 }] },
  });
  const { cardId } = await givenCard(program);
  vi.setSystemTime(Date.UTC(2049, 1, 28));
  let calls = 0;
  using _ = injectFaults(({ command }) => {
    if (command !== "TransactWriteItems") return undefined;
    calls += 1;
    return calls % 2 === 0 ? "timeout-after-commit" : undefined;
  });
  await Promise.all([sweepDeadlines(), sweepDeadlines(), sweepDeadlines(), sweepDeadlines()]);
  const { body } = await program.call("GET /cards/fees", { query: { cardId, feeType: "2" } });
  expect(body.items).toHaveLength(1);
  await expectBooksInOrder(program.programId);
});
