import { expect, it } from "vitest";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import { reconcile } from "../../../shared/settlements/reconcile.ts";
import { newTally } from "../../../shared/settlements/tally.ts";
import { injectFaults } from "../../harness/faults.ts";
import { settlement } from "../../harness/given-journal.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";
import { givenDay } from "./given-day.ts";

const count = 4_000;
const pageSize = 500;

it("a day costs calls for each page, whatever its length, and takes memory for none of its transactions", async () => {
  const { programId, today } = await givenDay();
  const cardIds = await Promise.all([1, 2, 3, 4].map(() => givenStoredCard(programId, 1, 0)));
  const start = new Date(`${today()}T00:00:00.000Z`);
  const made = Array.from({ length: count }, (_, index) =>
    settlement(
      programId,
      cardIds[index % 4] ?? "",
      new Date(start.getTime() + index),
      index % 3 === 0 ? 5 : -7,
    ),
  );
  const items = made
    .flatMap(({ writes }) => writes.flatMap((write) => [write, ...(write.alongside ?? [])]))
    .flatMap((write) => ("Put" in write ? write.Put.Item : []));
  await writeBatch(items.map((put) => ({ put: put as unknown as Key })));
  const end = new Date(start.getTime() + 86_400_000);
  const day = { programId, date: today(), currency: 0, start, end, pageSize } as const;
  const tally = newTally();
  const calls: number[] = [];
  using faults = injectFaults(() => undefined);
  while (tally.phase !== "done") {
    const before = faults.calls.length;
    await reconcile(day, tally, async () => undefined, 0);
    calls.push(faults.calls.length - before);
  }
  const credits = Math.ceil(count / 3);
  const gross = 7 * (count - credits) - 5 * credits;
  expect(tally).toMatchObject({ transactions: count, matched: count, gross, missing: [], differing: [] });
  // A page, its records in calls of a hundred, each Card's cycle in calls of a megabyte.
  expect(Math.max(...calls)).toBeLessThan(80);
  expect(JSON.stringify(tally).length).toBeLessThan(1_000);
});
