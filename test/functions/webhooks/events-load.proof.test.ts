import { expect, test } from "vitest";
import { givenProgram } from "../../harness/given-cards.ts";
import { measure } from "../../harness/measure.ts";
import { writeNotifications } from "./written-notifications.ts";

const day = 86_400_000;

/** What the first page of a Program's notifications costs, and a filtered one of a span. */
async function costsAmong(count: number) {
  const program = await givenProgram();
  const firstAt = Date.now() - 80 * day;
  const ids = await writeNotifications(program.programId, count, firstAt);
  const after = String(Math.floor(firstAt / 1000) + count / 2);
  const costOf = async (query: Record<string, string>) => {
    const { result, cost } = await measure(() => program.call("GET /webhooks/events", { query }));
    expect(result.status).toBe(200);
    return { ...result.body, cost };
  };
  const first = await costOf({});
  expect(first.total).toBe(count);
  expect(first.items.map(({ transIdSc }: { transIdSc: string }) => transIdSc)).toEqual(
    ids.slice(-50).toReversed(),
  );
  const filtered = await costOf({ after, eventType: "4", limit: "10", offset: "2" });
  expect(filtered.total).toBe(count / 8);
  return [first.cost, filtered.cost];
}

test("a page of 100,000 notifications reads the same few parts as one of 100", {
  timeout: 180_000,
}, async () => {
  const few = await costsAmong(104);
  const many = await costsAmong(100_000);
  for (const [index, cost] of many.entries()) {
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
    expect(cost.calls.length).toBeLessThanOrEqual((few[index]?.calls.length ?? 0) + 3);
    expect(cost.readUnits).toBeLessThanOrEqual(2 * (few[index]?.readUnits ?? 0));
  }
});
