import { iso20022 } from "../../shared/adapters/iso20022/iso20022.ts";
import type { BankRecord } from "../../shared/contract/bank.ts";
import type { Returns } from "../../shared/deposits/bank/payment.ts";
import { applyReport } from "../../shared/payments/apply-report.ts";
import { filesBucket } from "../../shared/platform/file-store.ts";
import { sha256 } from "../../shared/platform/sha256.ts";
import type { FileFormat, FileRecord } from "./file-format.ts";

/** A bank's file is read whole: the adapter limits its size. */
export const readBankFiles = (returns: Returns): FileFormat => ({
  open: async ({ key, etag, bytes: size }) => {
    const { largestBytes } = iso20022;
    if (size > largestBytes)
      return { record: 1, reason: `The file is larger than ${largestBytes} bytes.`, input: key };
    const bytes = await filesBucket.read(key, { etag });
    if (!bytes) return undefined;
    const read = iso20022.readFile(bytes);
    if ("reason" in read) return { ...read, input: Buffer.from(bytes).toString() };
    const records = read.map((one, index) => toFileRecord(one, index, returns));
    return {
      records: records.length,
      digest: sha256(bytes),
      sums: {
        entries: read.map(({ entry }) => entry).filter((one) => one !== undefined),
        records: read.map(({ money }) => money).filter((one) => one !== undefined),
      },
      readPart: async (from, count) => records.slice(from, from + count),
    };
  },
});

function toFileRecord(read: BankRecord, index: number, returns: Returns): FileRecord {
  return {
    record: index + 1,
    line: read.line,
    account:
      "event" in read && read.event.kind === "deposited" ? read.event.remittance.join() : String(index),
    input: read.input,
    money: read.money,
    apply: async (origin, place) => {
      const file = place.slice(0, 24);
      if ("event" in read) return applyReport({ event: read.event, origin, file }, returns);
      const { reason, ordered: event } = read;
      return event ? applyReport({ event, reason, origin, file }, returns) : { status: "rejected", reason };
    },
  };
}
