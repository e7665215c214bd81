import { paginateQuery, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { table } from "../platform/table/client.ts";
import type { Key } from "../platform/table/keys.ts";
import { listKey } from "../platform/table/list-keys.ts";
import { readBatch } from "../platform/table/read-batch.ts";
import { type BatchWrite, writeBatch } from "../platform/table/write-batch.ts";
import { Block, pack, packBlock, unpack } from "./block.ts";
import { type ChangeRow, entriesOf } from "./change-row.ts";
import { type Directory, directoryBlocks } from "./directory.ts";
import type { Entry } from "./entry.ts";
import { kinds, type ListOf } from "./listed-kind.ts";
import type { Manifest } from "./manifest.ts";
import { buildLists, listsOf, type Run, timeList } from "./run.ts";
import type { PartName } from "./run-plan.ts";
import type { Parts } from "./select-page.ts";

/** A run of the manifest was replaced and deleted while a page was read from it: the page has to be read anew. */
export class RunDeletedError extends Error {
  override readonly name = "RunDeletedError";
}

/** The parts of a list as they stand in the table. */
export function storedParts(list: ListOf, { runs, since }: Pick<Manifest, "runs" | "since">): Parts {
  return {
    runs,
    fresh: async () => (await changeRows(list, since)).flatMap(entriesOf),
    directories: (names) => readDirectories(names.map((name) => directoryKey(list, name))),
    blocks: async (names) =>
      (await readParts(names.map((name) => blockKey(list, name)))).map((body) => new Block(list.kind, body)),
  };
}

/** Directories that this process has met: they never change, and of a long list they are most of what a page reads. */
const knownDirectories = new Map<string, Directory>();
const mostKnown = 256;

async function readDirectories(keys: readonly Key[]): Promise<Directory[]> {
  const unknown = keys.filter((key) => !knownDirectories.has(textOf(key)));
  const bodies = await readParts(unknown);
  const found = new Map(keys.map((key) => [textOf(key), knownDirectories.get(textOf(key))]));
  for (const [index, key] of unknown.entries()) {
    const directory = unpack<Directory>(bodies[index] as Uint8Array);
    found.set(textOf(key), directory);
    knownDirectories.set(textOf(key), directory);
  }
  // Maps keep the order in which they were filled: those known longest go first.
  for (const key of knownDirectories.keys()) {
    if (knownDirectories.size <= mostKnown) break;
    knownDirectories.delete(key);
  }
  return keys.map((key) => found.get(textOf(key)) as Directory);
}

/** The changes from `since` on, up to `until` where that is given; those that were rescued stand there again. */
export async function changeRows(list: ListOf, since: string, until = afterAll): Promise<ChangeRow[]> {
  const shards = shardsOf(list).map(async (shard) => {
    const rows: ChangeRow[] = [];
    for await (const { Items } of paginateQuery({ client: table }, queryOf(list, shard, since, until))) {
      rows.push(...((Items ?? []) as ChangeRow[]));
    }
    return rows;
  });
  return unrescued((await Promise.all(shards)).flat());
}

/**
 * The first changes from `since` on, one page of each shard, which are all that there are before `until`: however many wait, so many are read and
 * no more.
 */
export async function firstChangeRows(
  list: ListOf,
  since: string,
): Promise<{ readonly rows: ChangeRow[]; readonly until: string }> {
  let until = afterAll;
  const shards = shardsOf(list).map(async (shard) => {
    const { Items, LastEvaluatedKey } = await table.send(
      new QueryCommand(queryOf(list, shard, since, afterAll)),
    );
    const rows = (Items ?? []) as ChangeRow[];
    const last = rows.at(-1)?.sk;
    if (LastEvaluatedKey && last !== undefined && last < until) until = last;
    return rows;
  });
  const rows = unrescued((await Promise.all(shards)).flat());
  return { rows: rows.filter(({ sk }) => sk < until), until };
}

/** Comes after every change. */
const afterAll = "~";

function shardsOf({ kind }: ListOf): number[] {
  return Array.from({ length: kinds[kind].shards }, (_, shard) => shard);
}

function queryOf(list: ListOf, shard: number, since: string, until: string) {
  return {
    TableName: environment.issuingTable,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :shard AND sk BETWEEN :since AND :until",
    ExpressionAttributeValues: {
      ":shard": listKey.change(list, shard, "").pk,
      // A sort key may not be empty: every change comes after "!".
      ":since": since || "!",
      ":until": until,
    },
  };
}

function unrescued(rows: readonly ChangeRow[]): ChangeRow[] {
  return rows.filter(({ rescuedAt }) => rescuedAt === undefined);
}

/** Parts never change, and are read consistently only where they have not arrived everywhere yet. */
async function readParts(keys: readonly Key[]): Promise<Uint8Array[]> {
  const found = new Map<string, Uint8Array>();
  for (const consistent of [false, true]) {
    const missing = keys.filter((key) => !found.has(textOf(key)));
    for (const item of await readBatch(missing, consistent)) {
      found.set(textOf(item as unknown as Key), item.body as Uint8Array);
    }
    if (found.size === keys.length) break;
  }
  return keys.map((key) => {
    const body = found.get(textOf(key));
    if (!body) throw new RunDeletedError(`${textOf(key)} is not there.`);
    return body;
  });
}

/** Writes all parts of a run; nobody reads them before a manifest has it. */
export async function writeRun(list: ListOf, run: Run, sorted: readonly Entry[]): Promise<void> {
  await writeBatch(partsOf(list, run, sorted));
}

function* partsOf(list: ListOf, { runId }: Run, sorted: readonly Entry[]): Generator<BatchWrite> {
  for (const { list: name, blocks, directories } of buildLists(list.kind, sorted)) {
    for (const [index, block] of blocks.entries()) {
      const key = blockKey(list, { runId, list: name, index });
      yield { put: { ...key, body: packBlock(list.kind, block) } as Key };
    }
    for (const [index, directory] of directories.entries()) {
      yield { put: { ...directoryKey(list, { runId, list: name, index }), body: pack(directory) } as Key };
    }
  }
}

/** Deletes all parts of a run, or those that there are. */
export async function deleteRun(list: ListOf, run: Pick<Run, "runId" | "blocks">): Promise<void> {
  await writeBatch(removals(list, run));
}

function* removals(list: ListOf, { runId, blocks }: Pick<Run, "runId" | "blocks">): Generator<BatchWrite> {
  for (const { list: name } of listsOf(list.kind, blocks)) {
    for (let index = 0; index < blocks; index += 1) {
      yield { remove: blockKey(list, { runId, list: name, index }) };
      if (index % directoryBlocks > 0) continue;
      yield { remove: directoryKey(list, { runId, list: name, index: index / directoryBlocks }) };
    }
  }
}

/** All entries of runs. */
export async function entriesOfRuns(list: ListOf, runs: readonly Run[]): Promise<Entry[]> {
  const names = runs.flatMap(({ runId, blocks }) =>
    Array.from({ length: blocks }, (_, index) => ({ runId, list: timeList, index })),
  );
  const blocks = await storedParts(list, { runs: [], since: "" }).blocks(names);
  return blocks.flatMap((block) => block.entries());
}

function blockKey(of: ListOf, { runId, list, index }: PartName): Key {
  return listKey.block(of, runId, list, index);
}

function directoryKey(of: ListOf, { runId, list, index }: PartName): Key {
  return listKey.directory(of, runId, list, index);
}

function textOf({ pk, sk }: Key): string {
  return `${pk} ${sk}`;
}
