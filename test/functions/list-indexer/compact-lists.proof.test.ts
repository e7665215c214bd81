import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "vitest";
import { handler } from "../../../functions/list-indexer/handler.ts";
import { compactList, settleMs } from "../../../shared/lists/compaction.ts";
import { changeManifest, readManifest } from "../../../shared/lists/manifest.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { table } from "../../../shared/platform/table/client.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import { ContendedError } from "../../../shared/platform/table/retry.ts";
import { withinInvocation, withinTime } from "../../../shared/platform/time-budget.ts";
import { measure } from "../../harness/measure.ts";
import {
  eventOf,
  expectExact,
  expectedOf,
  type GivenList,
  givenList,
  holdCall,
  later,
  newEntry,
  readList,
  rowOf,
  useOwnDays,
  writeChanges,
} from "../../shared/lists/given-list.ts";

useOwnDays(Date.UTC(2026, 5, 1), 4);

/** A change that is made now, and commits late. */
function lateChange(list: GivenList): Key {
  const entry = newEntry(1);
  list.written.push(entry);
  return rowOf(list, [entry]);
}

const commit = (row: Key) =>
  table.send(new PutCommand({ TableName: environment.issuingTable, Item: { ...row } }));

describe("the indexer", { timeout: 180_000 }, () => {
  test("compacts the lists that the stream names, even if it names them repeatedly", async () => {
    const list = givenList();
    const rows = await writeChanges(list, 800);
    later(60_000);
    const event = eventOf(rows);
    await Promise.all([handler(event), handler(event), handler(eventOf(rows.slice(100)))]);
    await handler(event);
    expect((await readManifest(list)).watermark).not.toBe("");
    await expectExact(list);
  });

  test("fails before Lambda ends it, so that the stream repeats the batch", async () => {
    const list = givenList();
    const rows = await writeChanges(list, 1_600);
    later(60_000);
    const indexing = withinInvocation({ getRemainingTimeInMillis: () => 2_000 }, () =>
      handler(eventOf(rows)),
    );
    await expect(indexing).rejects.toThrow("The time for compactions is up.");
    await expectExact(list);
  });

  test("does not wait for newer changes when those of a late batch are compacted already", async () => {
    const list = givenList();
    const rows = await writeChanges(list, 800);
    later(60_000);
    await handler(eventOf(rows));
    const { watermark } = await readManifest(list);
    await writeChanges(list, 800);
    const startedMs = performance.now();
    await handler(eventOf(rows));
    expect(performance.now() - startedMs).toBeLessThan(settleMs / 2);
    expect((await readManifest(list)).watermark).toBe(watermark);
    await expectExact(list);
  });

  test("does not wait for newer changes when those of a late batch are too few to compact", async () => {
    const list = givenList();
    const rows = await writeChanges(list, 400);
    const event = eventOf(rows, new Date());
    later(60_000);
    await writeChanges(list, 300);
    const startedMs = performance.now();
    await handler(event);
    expect(performance.now() - startedMs).toBeLessThan(settleMs / 2);
    expect((await readManifest(list)).watermark).toBe("");
    later(60_000);
    await handler(event);
    expect((await readManifest(list)).watermark).not.toBe("");
    await expectExact(list);
  });

  test("reads the manifest once when there is nothing to compact", async () => {
    const list = givenList();
    await writeChanges(list, 100);
    const { cost } = await measure(() => compactList(list));
    expect(cost.calls.filter((name) => name === "GetItem")).toHaveLength(1);
  });

  test("reads a list once if a batch's changes are enough for a compaction", async () => {
    const list = givenList();
    const rows = await writeChanges(list, 800);
    const settle = async () => later(60_000);
    const { cost } = await measure(() => compactList(list, settle, rows));
    expect(cost.calls.filter((name) => name === "Query")).toHaveLength(list.kind.shards);
    expect((await readManifest(list)).watermark).not.toBe("");
    await expectExact(list);
  });

  test("does not wait for the changes of a batch that are too few, beside those that have settled", async () => {
    const list = givenList();
    const rows = await writeChanges(list, 600);
    later(60_000);
    const newRows = await writeChanges(list, 400);
    const settle = async () => expect.unreachable("It waited.");
    await compactList(list, settle, [...rows, ...newRows]);
    expect((await readManifest(list)).watermark).not.toBe("");
    await expectExact(list);
  });

  test("does not wait for a list that is rebuilt", async () => {
    const list = givenList();
    const rows = await writeChanges(list, 800);
    await changeManifest(list, (manifest) => ({ ...manifest, leasedUntil: Date.now() + 60_000 }));
    await compactList(list, async () => expect.unreachable("It waited."), rows);
    expect((await readManifest(list)).watermark).toBe("");
  });

  test("stops retrying a manifest when its time is up", async () => {
    const list = givenList();
    const Key = { pk: list.programId, sk: "MISSING" };
    const ConditionExpression = "attribute_exists(pk)";
    const failing = { TableName: environment.issuingTable, Key, ConditionExpression };
    const commit = () =>
      changeManifest(list, (manifest) => manifest, [{ name: "failing", ConditionCheck: failing }]);
    await expect(withinTime(100, commit)).rejects.toThrow(ContendedError);
  });

  test("a change that commits too late is missed until it arrives through the stream, and then counts once", async () => {
    const list = givenList();
    const late = lateChange(list);
    const rows = await writeChanges(list, 600);
    later(60_000);
    await compactList(list);
    await commit(late);
    expect((await readList(list)).total).toBe(expectedOf(list).total - 1);
    await Promise.all([handler(eventOf([late])), handler(eventOf([late, ...rows]))]);
    await handler(eventOf([late]));
    await expectExact(list);
    await writeChanges(list, 600);
    later(60_000);
    await compactList(list);
    await expectExact(list);
  });

  test("a change that commits and arrives between another indexer's reading and commit counts once", async () => {
    const list = givenList();
    const late = lateChange(list);
    await writeChanges(list, 600);
    later(60_000);
    const other = holdCall((input) => input.includes("#COMPACTED"));
    const slow = compactList(list);
    await other.reached;
    await commit(late);
    await handler(eventOf([late]));
    other.release();
    await slow;
    await expectExact(list);
  });
});
