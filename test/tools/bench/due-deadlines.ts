import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { clearing } from "../../../shared/deposits/deposit-change.ts";
import {
  type DueDeadline,
  deadlinePut,
  dueDeadlines,
  nextDueAt,
} from "../../../shared/platform/deadlines.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { newId } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { median, progress, type Row } from "./report.ts";

export const columns = [
  "rows that are due later",
  "10 due ones found ms",
  "next one found ms",
  "ratio",
  "limit",
];

const limit = 1.5;
const repetitions = 40;
const writers = 8;
const dayMs = 86_400_000;
/** Before every deadline that other measurements have left. */
const at = new Date("2001-01-01T00:00:00.000Z");

/** Rows that are due later, so far. */
let written = 0;

/** The time to find due deadlines must not depend on the number of those not due. */
export async function timesToFindDeadlines(numbers: readonly number[]): Promise<Row[]> {
  if (written > 0) throw new Error("Only one part with deadlines can be measured in a run.");
  await write(10, (index) => new Date(at.getTime() - index));
  // Warms up.
  await measure();
  const rows: Row[] = [];
  let few: number | undefined;
  for (const future of numbers) {
    await write(future - written, (index) => new Date(at.getTime() + dayMs + index * 1_000));
    written = future;
    let [found, next] = await measure();
    few ??= found;
    for (let attempt = 1; attempt < 3 && found / few > limit; attempt += 1) [found, next] = await measure();
    const ratio = found / few;
    rows.push({
      cells: [future, found.toFixed(2), next.toFixed(2), ratio.toFixed(2), limit],
      broken:
        ratio > limit
          ? `Finding what is due takes ${ratio.toFixed(2)} times as long with ${future} rows.`
          : undefined,
    });
  }
  return rows;
}

async function measure(): Promise<[found: number, next: number]> {
  const [found, next]: [number[], number[]] = [[], []];
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const start = performance.now();
    const due: DueDeadline[] = [];
    for await (const deadline of dueDeadlines("urgent", at)) due.push(deadline);
    const middle = performance.now();
    if (due.length !== 10) throw new Error(`${due.length} deadlines were found, not 10.`);
    await nextDueAt();
    found.push(middle - start);
    next.push(performance.now() - middle);
  }
  return [median(found), median(next)];
}

async function write(count: number, dueAt: (index: number) => Date): Promise<void> {
  let index = 0;
  const writeSome = async () => {
    while (index < count) {
      progress(`deadlines: ${index}`);
      const items = Array.from({ length: Math.min(25, count - index) }, () => rowDueAt(dueAt(index++)));
      const requests = items.map((Item) => ({ PutRequest: { Item } }));
      await table.send(new BatchWriteCommand({ RequestItems: { [environment.issuingTable]: requests } }));
    }
  };
  await Promise.all(Array.from({ length: writers }, writeSome));
}

function rowDueAt(dueAt: Date): Record<string, unknown> {
  const ids = { ownerId: newId("program"), deadlineId: newId("deposit") };
  const action = deadlinePut(clearing.at({ ...ids, dueAt }));
  if (!("Put" in action)) throw new Error("A deadline is written by a put.");
  return action.Put.Item ?? {};
}
