import { createHash } from "node:crypto";
import {
  type Malformed,
  readDetail,
  readHeader,
  readTrailer,
  recordBytes,
  withoutCardNumber,
} from "./read-record.ts";

interface VerifiedFile {
  /** How many `DET` it has. */
  readonly records: number;
  readonly digest: string;
}

interface FaultyRecord extends Malformed {
  /** Counted from 1, with the header. */
  readonly record: number;
  readonly input: string;
}

/** After whole records. The digest is a chain of theirs. */
export interface VerificationState {
  readonly read: number;
  readonly sum: string;
  readonly digest: string;
}

/** Verifies a clearing file in parts of whole records, of which it keeps none. */
export class FileVerification {
  #digest: string;
  readonly #records: number;
  readonly #isWhole: boolean;
  #read: number;
  #sum: bigint;

  /** `from`: goes on after the parts of another one. */
  constructor(bytes: number, from: VerificationState = { read: 0, sum: "0", digest: "" }) {
    this.#read = from.read;
    this.#sum = BigInt(from.sum);
    this.#digest = from.digest;
    this.#records = Math.floor(bytes / recordBytes);
    this.#isWhole = bytes % recordBytes === 0;
  }

  /** Undefined as long as the file is well-formed. */
  add(part: Uint8Array): FaultyRecord | undefined {
    const text = Buffer.from(part).toString("latin1");
    for (let start = 0; start < text.length; start += recordBytes) {
      this.#read += 1;
      const line = text.slice(start, start + recordBytes);
      this.#digest = createHash("sha256").update(this.#digest).update(line, "latin1").digest("hex");
      const fault = this.#verify(line);
      if (fault !== undefined) return this.#fault(fault, line);
    }
    return undefined;
  }

  end(): VerifiedFile | FaultyRecord {
    if (this.#records < 2) return this.#fault("it must have a header and a trailer", "");
    return { records: this.#records - 2, digest: this.#digest };
  }

  state(): VerificationState {
    return { read: this.#read, sum: String(this.#sum), digest: this.#digest };
  }

  #verify(line: string): string | undefined {
    const record = line.slice(0, -1);
    if (line.length !== recordBytes || !line.endsWith("\n") || record.includes("\n"))
      return "it must be 200 characters and a line feed";
    if (this.#read === 1) {
      const header = readHeader(record);
      return "reason" in header ? header.reason : undefined;
    }
    if (this.#read < this.#records || !this.#isWhole) {
      const detail = readDetail(record);
      if ("reason" in detail) return detail.reason;
      this.#sum += BigInt(detail.billingAmount);
      return undefined;
    }
    return this.#disagreement(record);
  }

  #disagreement(record: string): string | undefined {
    const trailer = readTrailer(record);
    if ("reason" in trailer) return trailer.reason;
    const { count, sum } = trailer;
    const found = this.#records - 2;
    if (count !== found) return `the trailer counts ${count} records, the file has ${found}`;
    return sum === this.#sum ? undefined : `the trailer's sum is ${sum}, the records' ${this.#sum}`;
  }

  #fault(reason: string, line: string): FaultyRecord {
    return { record: Math.max(this.#read, 1), reason, input: withoutCardNumber(line) };
  }
}
