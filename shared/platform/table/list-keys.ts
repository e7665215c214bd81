import type { Key } from "./keys.ts";

interface ListName {
  readonly programId: string;
  readonly kind: { readonly name: string };
  readonly owner?: string | undefined;
}

interface PartName {
  readonly segmentId: string;
  readonly copy: string;
  readonly index: number;
}

/** Keys of the `issuing` table for what lists are made of. Each begins with its Program's id, as all of that table do. */
export const listKey = {
  /** A change; `changeId` sorts by time. */
  change: (list: ListName, shard: number, changeId: string): Key => ({
    pk: `${prefixOf(list)}#CHANGES#${shard}`,
    sk: changeId,
  }),
  manifest: (list: ListName): Key => ({
    pk: `${prefixOf(list)}`,
    sk: "MANIFEST",
  }),
  /** The ids of the changes that one compaction took, up to `before`. */
  compacted: (list: ListName, before: string): Key => ({
    pk: `${prefixOf(list)}#TAKEN`,
    sk: before,
  }),
  /** A partition has few enough blocks for all of them to be written within a second. */
  block: (list: ListName, { segmentId, copy, index }: PartName): Key => ({
    pk: `${prefixOf(list)}#${segmentId}#${copy}#${Math.floor(index / blocksInPartition)}`,
    sk: String(index),
  }),
  sparseIndex: (list: ListName, { segmentId, copy, index }: PartName): Key => ({
    pk: `${prefixOf(list)}#${segmentId}#${copy}#DIRECTORY`,
    sk: String(index),
  }),
} as const;

function prefixOf({ programId, kind, owner }: ListName): string {
  return `${programId}#LIST#${kind.name}${owner === undefined ? "" : `#${owner}`}`;
}

const blocksInPartition = 64;
