import { environment } from "../platform/environment.ts";
import { newChangeId } from "../platform/id.ts";
import { shardOf } from "../platform/table/keys.ts";
import { listKey } from "../platform/table/list-keys.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Entry, Value } from "./entry.ts";
import { entryOf, kinds, type ListedKind, type ListOf } from "./listed-kind.ts";
import type { StoredRecord } from "./listing.ts";

/** A change that is written in the transaction of the record that it tells of, so that lists are exact at once. */
export interface ChangeRow {
  readonly pk: string;
  /** The change's id. */
  readonly sk: string;
  readonly programId: string;
  readonly listed: ListedKind;
  /** Whose list it is of, where each Wallet or Card has its own. */
  readonly owner?: string | undefined;
  /** The entries, as JSON: weight, id, time of creation, values. */
  readonly entries: string;
  /** When it was written again, since it had come too late to be taken in. */
  readonly rescuedAt?: string | undefined;
}

/** What a list becomes when a record comes into being. `id` is the record's own. */
export function listedPut(
  kind: ListedKind,
  programId: string,
  id: string,
  record: object,
  owner?: string,
): WriteAction {
  return changePut({ programId, kind, owner }, [entryOf(kind, id, record as StoredRecord)]);
}

/** What a list becomes when a record changes from what it surely was, which the transaction must require, or leaves the list. */
export function listedChange(
  kind: ListedKind,
  programId: string,
  id: string,
  before: object,
  after: object | undefined,
  owner?: string,
): WriteAction {
  const old = { ...entryOf(kind, id, before as StoredRecord), weight: -1 };
  const list = { programId, kind, owner };
  return changePut(list, after ? [old, entryOf(kind, id, after as StoredRecord)] : [old]);
}

export function changePut(list: ListOf, entries: readonly Entry[]): WriteAction {
  const { programId, kind, owner } = list;
  const changeId = newChangeId();
  const row: ChangeRow = {
    ...listKey.change(list, shardOfChange(kind, changeId, entries), changeId),
    programId,
    listed: kind,
    owner,
    entries: JSON.stringify(
      entries.map(({ weight, id, createdAt, values }) => [weight, id, createdAt, ...values]),
    ),
  };
  return { name: "listed", Put: { TableName: environment.issuingTable, Item: row } };
}

/** Which of the partitions a change waits in. */
export function shardOfChange(kind: ListedKind, changeId: string, entries: readonly Entry[]): number {
  return shardOf(spreadBy(kind, changeId, entries), kinds[kind].shards);
}

/**
 * Whether a change is one of the few that have its list taken in, so that this is done now and then, and nobody has to count. All of them wait in one
 * partition, so that the stream tells of them one after another.
 */
export function wakes(row: Pick<ChangeRow, "sk" | "listed" | "entries">): boolean {
  return shardOf(spreadBy(row.listed, row.sk, entriesOf(row)), 64) === 0;
}

function spreadBy(kind: ListedKind, changeId: string, [first]: readonly Entry[]): string {
  return kinds[kind].byRecord && first ? first.id : changeId;
}

export function entriesOf({ entries }: Pick<ChangeRow, "entries">): Entry[] {
  const rows = JSON.parse(entries) as [weight: number, id: string, createdAt: number, ...values: Value[]][];
  return rows.map(([weight, id, createdAt, ...values]) => ({ id, createdAt, values, weight }));
}
