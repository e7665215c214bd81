import type { Key } from "./keys.ts";

/** Keys of the `issuing` table for what lists are made of. Each has its Program inside, like all of that table. */
export const listKey = {
  /** A change that a list has yet to take in; `changeId` is in the order of time. */
  change: (programId: string, kind: string, shard: number, changeId: string): Key => ({
    pk: `${programId}#LIST#${kind}#CHANGES#${shard}`,
    sk: changeId,
  }),
  manifest: (programId: string, kind: string): Key => ({
    pk: `${programId}#LIST#${kind}`,
    sk: "MANIFEST",
  }),
  /** Which changes were taken in, up to one that was not. */
  taken: (programId: string, kind: string, before: string): Key => ({
    pk: `${programId}#LIST#${kind}#TAKEN`,
    sk: before,
  }),
  /** So few of a run's blocks stand in one partition that all of them can be written within a second. */
  block: (programId: string, kind: string, runId: string, list: string, index: number): Key => ({
    pk: `${programId}#LIST#${kind}#${runId}#${list}#${Math.floor(index / blocksInPartition)}`,
    sk: String(index),
  }),
  directory: (programId: string, kind: string, runId: string, list: string, index: number): Key => ({
    pk: `${programId}#LIST#${kind}#${runId}#${list}#DIRECTORY`,
    sk: String(index),
  }),
} as const;

const blocksInPartition = 64;
