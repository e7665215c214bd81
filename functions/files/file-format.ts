import type { BankMoney } from "../../shared/contract/bank.ts";
import { FileKind, type FileProgress } from "../../shared/contract/file-report.ts";
import { createdObject } from "../../shared/platform/object-created.ts";
import type { NetworkRecord } from "../../shared/settlements/network-record.ts";

export type RecordOutcome =
  | {
      readonly status: "applied" | "duplicate" | "suspense";
      readonly programId?: string | undefined;
      /** A duplicate of another record, not the same one of a file that is fed again. */
      readonly isDoubled?: boolean;
    }
  | { readonly status: "rejected"; readonly reason: string; readonly programId?: string | undefined };

export interface FileRecord {
  readonly record: number;
  /** Where it begins in the file, counted from 1. */
  readonly line?: number | undefined;
  /** Records of one account come one after the other: at once, they would conflict. */
  readonly account: string;
  /** The operator reads it, should it be rejected. */
  readonly input: string;
  /** What it stands for, in a bank's file. */
  readonly money?: BankMoney | undefined;
  /** What the network says it settles. */
  readonly settles?: Omit<NetworkRecord, "isDoubled" | "reason">;
  /**
   * `origin` names the file's version and its place there: repeated, it has the first outcome.
   * `place` names the content and the place: it is the same in a file that is fed again.
   */
  apply(origin: string, place: string): Promise<RecordOutcome>;
}

/** A well-formed file. */
export interface OpenFile {
  readonly records: number;
  readonly digest: string;
  /** A bank's file, which is read whole, has them. */
  readonly sums?: { readonly entries: readonly BankMoney[]; readonly records: readonly BankMoney[] };
  readPart(from: number, count: number): Promise<readonly FileRecord[]>;
  /** Takes what a clearing file's records say beside what they change. */
  note?(from: number, part: readonly FileRecord[], outcomes: readonly RecordOutcome[]): Promise<void>;
}

export interface FaultyFile {
  readonly record: number;
  readonly line?: number;
  readonly reason: string;
  /** What is at fault in it. */
  readonly input: string;
}

/** The next invocation goes on with this. */
export interface PartlyVerified {
  readonly verified: NonNullable<FileProgress["verified"]>;
}

export interface FileFormat {
  /** `noted`: how far an invocation before came. Undefined if the file is not there any more. */
  open(
    file: FedFile,
    noted: FileProgress | undefined,
    isTimeUp: () => boolean,
  ): Promise<OpenFile | FaultyFile | PartlyVerified | undefined>;
}

export type Formats = { readonly [Kind in FileKind]: () => Promise<FileFormat> };

/** A file in the bucket. */
export interface FedFile {
  readonly kind: FileKind;
  readonly name: string;
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
}

export const keyOf = (event: unknown) => createdObject(event).key;

/** Undefined for an object that is no file of a known kind. */
export function toFedFile(event: unknown): FedFile | undefined {
  const { key, size: bytes, etag } = createdObject(event);
  const [folder, kind, name, ...more] = key.split("/");
  const known = FileKind.safeParse(kind);
  if (folder !== "in" || !known.success || !name || more.length > 0) return undefined;
  return { kind: known.data, name, key, bytes, etag };
}
