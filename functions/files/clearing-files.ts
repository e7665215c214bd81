import {
  type Detail,
  readDetail,
  readHeader,
  recordBytes,
  withoutCardNumber,
  withoutNumbers,
} from "../../shared/adapters/clearing-file/read-record.ts";
import { FileVerification, type VerificationState } from "../../shared/adapters/clearing-file/verify-file.ts";
import { filesBucket } from "../../shared/platform/file-store.ts";
import { sha256 } from "../../shared/platform/sha256.ts";
import { applyDetail } from "./apply-detail.ts";
import type { FaultyFile, FedFile, FileFormat, FileRecord, OpenFile, PartlyVerified } from "./file-format.ts";
import { noteSettled } from "./note-settled.ts";

const verifiedAtOnce = 5_000;

/** Read in parts: the file may be larger than the memory. */
export const clearingFiles: FileFormat = {
  open: async (file, noted, isTimeUp) => {
    if (noted?.digest === undefined) return verify(file, noted?.verified, isTimeUp);
    const { records, digest } = noted;
    return opened(file, records, digest);
  },
};

/** Each invocation comes at least one part further. */
async function verify(
  file: FedFile,
  from: VerificationState | undefined,
  isTimeUp: () => boolean,
): Promise<OpenFile | FaultyFile | PartlyVerified | undefined> {
  const verification = new FileVerification(file.bytes, from);
  for (let first = from?.read ?? 0; first * recordBytes < file.bytes; first += verifiedAtOnce) {
    const part = await readRecords(file, first, verifiedAtOnce);
    if (!part) return undefined;
    const fault = verification.add(part);
    if (fault) return { ...fault, line: fault.record };
    const isLast = (first + verifiedAtOnce) * recordBytes >= file.bytes;
    if (!isLast && isTimeUp()) return { verified: verification.state() };
  }
  const verified = verification.end();
  if ("reason" in verified) return { ...verified, line: verified.record };
  return opened(file, verified.records, verified.digest);
}

/** Undefined if it is not there any more. */
async function opened(file: FedFile, records: number, digest: string): Promise<OpenFile | undefined> {
  const first = await readRecords(file, 0, 1);
  const header = first && readHeader(Buffer.from(first).toString("latin1").slice(0, -1));
  if (!header) return undefined;
  if ("reason" in header) throw new Error(`${file.key} has changed since it was verified.`);
  return {
    records,
    digest,
    readPart: (from, count) => readPart(file, from, count, records),
    note: (from, part, outcomes) => noteSettled({ header, digest }, from, part, outcomes),
  };
}

function readRecords(file: FedFile, from: number, count: number): Promise<Uint8Array | undefined> {
  const first = from * recordBytes;
  const last = Math.min(first + count * recordBytes, file.bytes) - 1;
  return filesBucket.read(file.key, { etag: file.etag, range: [first, last] });
}

async function readPart(file: FedFile, from: number, count: number, records: number): Promise<FileRecord[]> {
  // The header is the first record.
  const bytes = await readRecords(file, from + 1, Math.min(count, records - from));
  if (!bytes) throw new Error(`${file.key} was replaced while it was read.`);
  const lines = Buffer.from(bytes).toString("latin1").split("\n").slice(0, -1);
  return lines.map((line, index) => {
    const detail = readDetail(line);
    if ("reason" in detail) throw new Error(`${file.key} has changed since it was verified.`);
    const input = withoutCardNumber(line);
    const content = sha256(withoutNumbers(line));
    return {
      record: detail.number,
      // After the header, which is line 1.
      line: from + index + 2,
      account: detail.cardNumber,
      input,
      settles: settledBy(detail),
      apply: (origin, place) => applyDetail(detail, { origin, place, content }),
    };
  });
}

function settledBy({ referenceCode, isCredit, billingAmount, billingCurrency, interchange }: Detail) {
  const type = isCredit ? "CR" : "DR";
  const common = { referenceCode, type, amountMinor: billingAmount, currency: billingCurrency } as const;
  return { ...common, ...(interchange !== undefined && { interchangeMinor: interchange }) };
}
