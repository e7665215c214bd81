import type { Key } from "./keys.ts";

/** A list by its names. */
interface ListName {
  readonly programId: string;
  readonly kind: string;
  readonly owner?: string | undefined;
}

/** Keys of the `issuing` table for what lists are made of. Each has its Program inside, like all of that table. */
export const listKey = {
  /** A change that a list has yet to take in; `changeId` is in the order of time. */
  change: (list: ListName, shard: number, changeId: string): Key => ({
    pk: `${prefixOf(list)}#CHANGES#${shard}`,
    sk: changeId,
  }),
  manifest: (list: ListName): Key => ({
    pk: `${prefixOf(list)}`,
    sk: "MANIFEST",
  }),
  /** Which changes were taken in, up to one that was not. */
  taken: (list: ListName, before: string): Key => ({
    pk: `${prefixOf(list)}#TAKEN`,
    sk: before,
  }),
  /** So few of a run's blocks stand in one partition that all of them can be written within a second. */
  block: (list: ListName, runId: string, part: string, index: number): Key => ({
    pk: `${prefixOf(list)}#${runId}#${part}#${Math.floor(index / blocksInPartition)}`,
    sk: String(index),
  }),
  directory: (list: ListName, runId: string, part: string, index: number): Key => ({
    pk: `${prefixOf(list)}#${runId}#${part}#DIRECTORY`,
    sk: String(index),
  }),
} as const;

function prefixOf({ programId, kind, owner }: ListName): string {
  return `${programId}#LIST#${kind}${owner === undefined ? "" : `#${owner}`}`;
}

const blocksInPartition = 64;
