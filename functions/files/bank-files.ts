import type {
  BankAdapter,
  BankEvent,
  BankOrdered,
  BankRecord,
  BankStatement,
} from "../../shared/contract/bank.ts";
import { filesBucket } from "../../shared/platform/file-store.ts";
import { inLanes } from "../../shared/platform/in-lanes.ts";
import { sha256 } from "../../shared/platform/sha256.ts";
import type { FileFormat, FileRecord, RecordOutcome } from "./file-format.ts";

/** Applies what a file reports: `applyReport` of payments, which knows what was ordered. */
type ApplyReport = (report: {
  readonly event: BankEvent | BankOrdered;
  /** Why it is refused, unless it is of a payment that was ordered. */
  readonly reason?: string;
  readonly origin: string;
  readonly file: string;
}) => Promise<RecordOutcome>;

/** A bank's file is read whole: the adapter limits its size. */
export const readBankFiles = (
  { largestBytes, readFile }: BankAdapter,
  applyReport: ApplyReport,
  followStatement: (statement: BankStatement, file: string) => Promise<void>,
): FileFormat => ({
  open: async ({ name, key, etag, bytes: size }) => {
    if (size > largestBytes)
      return { record: 1, reason: `The file is larger than ${largestBytes} bytes.`, input: key };
    const bytes = await filesBucket.read(key, { etag });
    if (!bytes) return undefined;
    const statements: BankStatement[] = [];
    const read = readFile(bytes, (one) => statements.push(one));
    if ("reason" in read) return { ...read, input: Buffer.from(bytes).toString() };
    const records = read.map((one, index) => toFileRecord(one, index, applyReport));
    return {
      records: records.length,
      digest: sha256(bytes),
      sums: {
        entries: read.map(({ entry }) => entry).filter((one) => one !== undefined),
        records: read.map(({ money }) => money).filter((one) => one !== undefined),
      },
      readPart: async (from, count) => records.slice(from, from + count),
      end: async () => {
        // In order of each account. Some files have statements of thousands.
        await inLanes(Map.groupBy(statements, ({ account }) => account).values(), async (ofAccount) => {
          for (const one of ofAccount) await followStatement(one, name);
        });
      },
    };
  },
});

function toFileRecord(read: BankRecord, index: number, applyReport: ApplyReport): FileRecord {
  return {
    record: index + 1,
    line: read.line,
    account:
      "event" in read && read.event.kind === "deposited" ? read.event.remittance.join() : String(index),
    input: read.input,
    money: read.money,
    apply: async (origin, place) => {
      const file = place.slice(0, 24);
      if ("event" in read) return applyReport({ event: read.event, origin, file });
      const { reason, ordered: event } = read;
      return event ? applyReport({ event, reason, origin, file }) : { status: "rejected", reason };
    },
  };
}
