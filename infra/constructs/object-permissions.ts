import type { DataBuckets } from "./data-buckets.ts";
import { longFileFolders } from "./long-files.ts";
import type { FunctionName } from "./table-permissions.ts";

/** S3's actions, and folders with the objects that they are for. Without one: on the bucket. */
export type ObjectRight = readonly [actions: readonly string[], folders: readonly string[]];

type ObjectPermissions = Readonly<Partial<Record<keyof DataBuckets, readonly ObjectRight[]>>>;

const read = ["GetObject"];
/** Closed months of the journal, for who reads it from the beginning. */
const records: readonly ObjectRight[] = [[read, ["journal"]]];
/** Files of payments for the bank: the sweep makes them, operator and sandbox show them too. */
const shownPayments: readonly ObjectRight[] = [[["GetObject", "PutObject"], ["out/bank"]]];
/** Without this right, S3 hides what does not exist. */
const list: ObjectRight = [["ListBucket"], []];

/**
 * All permissions of functions to objects, by bucket. A presigned URL has the rights of the
 * function that signs it.
 */
export const objectPermissions: Readonly<Partial<Record<FunctionName, ObjectPermissions>>> = {
  cards: { records },
  ledger: { files: [[read, ["ledgers"]]], records },
  reports: { files: [[read, ["program-reports"]]] },
  statements: { files: [[read, ["statements"]]], records },
  // Who begins a bulk writes its lines, who runs it reads and deletes them.
  bulk: { files: [[["PutObject", "DeleteObject"], ["bulk"]]] },
  disputes: {
    evidence: [
      [["PutObject"], ["uploads"]],
      [read, ["evidence"]],
    ],
  },
  operator: { files: shownPayments },
  sandbox: { files: shownPayments },
  deadlines: { files: [[["PutObject"], ["out/bank"]]] },
  "background-jobs": {
    files: [
      [["GetObject", "PutObject"], longFileFolders],
      [["GetObject", "DeleteObject"], ["bulk"]],
    ],
    records,
  },
  files: {
    files: [
      [read, ["in", "progress", "reports"]],
      [["DeleteObject"], ["in", "progress"]],
      [["PutObject"], ["progress", "reports"]],
      list,
    ],
  },
  // It alone writes what is accepted, and nobody deletes that.
  evidence: {
    evidence: [
      [["GetObject", "DeleteObject"], ["uploads"]],
      [["PutObject", "PutObjectRetention"], ["evidence"]],
      list,
    ],
  },
};
