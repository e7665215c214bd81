import * as z from "zod";

/** What can be fed as a file. */
export const FileKind = z.enum(["clearing", "bank"]);
export type FileKind = z.output<typeof FileKind>;

const count = z.int().min(0);

export const RejectedRecord = z.object({
  /** Its own number in a clearing file, its place in a bank's. */
  record: count,
  /** Where it begins in the file, counted from 1. */
  line: count.optional(),
  reason: z.string(),
});
export type RejectedRecord = z.output<typeof RejectedRecord>;

/** A record is applied, a duplicate, in suspense or rejected. */
const counts = { records: count, applied: count, duplicates: count, suspense: count };

/** Rejected records beyond those that the report lists: they are kept for the operator, too. */
const rejectedUnlisted = count.optional();

const sum = z.object({ count, amount: z.int() });

/**
 * What the entries of a file are, in one currency and in minor units, and what has become of their
 * records, which together are as much. A clearing file's records are its entries.
 */
export const FileSums = z.object({
  /** As the file has it: a clearing file's are numeric. */
  currency: z.string(),
  entries: sum,
  booked: sum,
  suspense: sum,
  refused: sum,
  /** Duplicates. */
  known: sum,
});
export type FileSums = z.output<typeof FileSums>;

/** What has become of a file. */
export const FileReport = z.object({
  /** Its name in the bucket. */
  file: z.string(),
  /** Names the version: a name may be used again. */
  etag: z.string(),
  /**
   * Refused: none of its records is applied. Duplicate: the same content was applied before, and
   * no record was rejected. Incomplete: it was replaced or deleted before its end.
   */
  status: z.enum(["applied", "duplicate", "refused", "incomplete"]),
  ...counts,
  rejected: z.array(RejectedRecord),
  rejectedUnlisted,
  sums: z.array(FileSums).optional(),
  /** Whether each entry is accounted for, to its last cent. */
  addsUp: z.boolean().optional(),
});
export type FileReport = z.output<typeof FileReport>;

/** How far a file is. */
export const FileProgress = z.object({
  ...counts,
  /** Records that were looked at. */
  done: count,
  rejected: z.array(RejectedRecord),
  rejectedUnlisted,
  sums: z.array(FileSums).optional(),
  /** The hash of its content, once the file is verified. */
  digest: z.string().optional(),
  /** How far a clearing file is verified. */
  verified: z.object({ read: count, sum: z.string(), digest: z.string() }).optional(),
  /** The last attempt. Final: its message is a dead letter, or about to be one. */
  failure: z.object({ attempt: count, reason: z.string(), isFinal: z.boolean() }).optional(),
});
export type FileProgress = z.output<typeof FileProgress>;

/** After so many failures, a file's message is a dead letter. */
export const fileAttempts = 5;

/** The objects of a file in its bucket. */
export const fileKeys = {
  input: (kind: FileKind, name: string) => `in/${kind}/${name}`,
  /** `etag`: of the version, if the file is put again while it is applied. */
  progress: (kind: FileKind, name: string, etag: string) => `progress/${kind}/${name}.${etag}.json`,
  /** Without `etag`: of the version that was read to its end last. */
  report: (kind: FileKind, name: string, etag?: string) =>
    `reports/${kind}/${name}${etag === undefined ? "" : `.${etag}`}.json`,
};
