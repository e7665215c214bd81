import { createHash } from "node:crypto";
import { withoutCardNumbers } from "../../contract/card-numbers.ts";
import { countries } from "../../contract/primitives.ts";
import { isFiller, toAuthorizationId } from "../authorization-identity.ts";

/** A record is so many characters of ASCII and a line feed. */
const recordLength = 200;
export const recordBytes = recordLength + 1;

export interface Detail {
  readonly number: number;
  readonly cardNumber: string;
  readonly isCredit: boolean;
  readonly isFinal: boolean;
  readonly billingAmount: number;
  /** ISO 4217 numeric. */
  readonly billingCurrency: string;
  readonly referenceCode: string;
  /** Absent where the record names no authorization. */
  readonly authorizationId?: string;
  /** DE7 of that: MMDDhhmmss, UTC. */
  readonly authorizedAt?: string;
  /** In minor units of the billing currency; absent where the network does not tell it. */
  readonly interchange?: number;
  /** As the events of the network have them. */
  readonly merchant: Readonly<{
    srcAmount: number;
    srcCurrency: string;
    mcc?: string;
    merchantName?: string;
    merchantCity?: string;
    merchantCountry?: string;
  }>;
}

export interface Trailer {
  readonly count: number;
  readonly sum: bigint;
}

/** Why a record is not well-formed. */
export interface Malformed {
  readonly reason: string;
}

type Test = readonly [pattern: RegExp, allowed: string];

const digits: Test = [/^\d+$/, "digits"];
const text: Test = [/^(?:\S.*)?$/, "left-justified text"];
const reference: Test = [/^(?:[!-~][ -~]*)?$/, "left-justified ASCII"];
const optional: Test = [/^(?:\d+|\s*)$/, "digits or spaces"];

/** Places as in the field's documentation: from 1, the last one included. */
const detailFields = {
  number: [4, 11, digits],
  cardNumber: [12, 30, [/^\d{12,19}$/, "12 to 19 digits, left-justified"]],
  direction: [31, 31, [/^[DC]$/, "D or C"]],
  extent: [32, 32, [/^[FP]$/, "F or P"]],
  billingAmount: [33, 44, digits],
  billedIn: [45, 47, digits],
  transactionAmount: [48, 59, digits],
  paidIn: [60, 62, digits],
  retrievalReference: [63, 74, reference],
  systemTrace: [75, 80, optional],
  acquirer: [81, 91, reference],
  transmittedAt: [92, 101, optional],
  referenceCode: [102, 124, [/^[!-~]+$/, "a reference without spaces, left-justified"]],
  mcc: [125, 128, [/^(?:\d{4}|\s*)$/, "four digits or spaces"]],
  merchantName: [129, 150, text],
  merchantCity: [151, 163, text],
  merchantCountry: [164, 165, [/^(?:[A-Z]{2}|\s*)$/, "two letters or spaces"]],
  interchange: [166, 178, [/^(?:[+-]\d{12}|\s*)$/, "a sign and twelve digits, or spaces"]],
} as const satisfies Fields;

type Fields = Readonly<Record<string, readonly [first: number, last: number, test: Test]>>;

export interface FileHeader {
  readonly fileId: string;
  /** `2026-11-20`. */
  readonly date: string;
}

/** `HDR`: the file's id and date. */
export function readHeader(record: string): FileHeader | Malformed {
  const read = readFields(record, "HDR", { fileId: [4, 28, text], date: [29, 36, digits] });
  if ("reason" in read) return read;
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(read.date) ?? [];
  const date = `${year}-${month}-${day}`;
  const isDate = new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date);
  if (!isDate) return { reason: `29-36 must be a date, YYYYMMDD, and is "${read.date}"` };
  const { fileId } = read;
  return fileId === "" ? { reason: "4-28 must be the file's id, and is blank" } : { fileId, date };
}

function readTrailer(record: string): Trailer | Malformed {
  const read = readFields(record, "TRL", { count: [4, 11, digits], sum: [12, 27, digits] });
  return "reason" in read ? read : { count: Number(read.count), sum: BigInt(read.sum) };
}

/** What reports say of a verified record: its number, or its place if that is not readable. */
export function readMoney(record: string, place: number) {
  const number = record.slice(3, 11);
  const money = { currency: record.slice(44, 47), amount: Number(record.slice(32, 44)) };
  return { record: /^\d+$/.test(number) ? Number(number) : place, money };
}

export function readDetail(record: string): Detail | Malformed {
  const read = readFields(record, "DET", detailFields);
  if ("reason" in read) return read;
  const { merchantCountry, merchantName, merchantCity, mcc, paidIn } = read;
  const { retrievalReference, systemTrace, acquirer, transmittedAt } = read;
  const elements = { retrievalReference, systemTrace, acquirer, transmittedAt };
  const isFilled = isFiller(transmittedAt) || [retrievalReference, systemTrace].every(isFiller);
  const isNamed = !isFilled && Object.values(elements).every((element) => element !== "");
  return {
    number: Number(read.number),
    cardNumber: read.cardNumber,
    isCredit: read.direction === "C",
    isFinal: read.extent === "F",
    billingAmount: Number(read.billingAmount),
    billingCurrency: read.billedIn,
    referenceCode: read.referenceCode,
    ...(isNamed && { authorizationId: toAuthorizationId(elements), authorizedAt: transmittedAt }),
    ...(read.interchange !== "" && { interchange: Number(read.interchange) }),
    merchant: {
      srcAmount: Number(read.transactionAmount),
      srcCurrency: paidIn,
      ...(mcc !== "" && { mcc }),
      ...(merchantName !== "" && { merchantName: withoutCardNumbers(merchantName) }),
      ...(merchantCity !== "" && { merchantCity: withoutCardNumbers(merchantCity) }),
      // Acquirers also send codes that are no country's.
      ...(countries.has(merchantCountry) && { merchantCountry }),
    },
  };
}

/** Trimmed at the end. */
function readFields<F extends Fields>(record: string, kind: string, fields: F) {
  if (record.length !== recordLength) return { reason: `it must have ${recordLength} characters` };
  if (!/^[ -~\xa0-\xff]*$/.test(record)) return { reason: "it must be printable ASCII or Latin-1" };
  if (!record.startsWith(kind)) return { reason: `it must begin with ${kind}` };
  const values: Record<string, string> = {};
  for (const [name, [first, last, [pattern, allowed]]] of Object.entries(fields)) {
    const value = record.slice(first - 1, last).trimEnd();
    // The value itself may be a part of a card's number.
    if (!pattern.test(value)) return { reason: `${first}-${last} must be ${allowed}` };
    values[name] = value;
  }
  return values as Record<keyof F, string>;
}

/** The operator sees it without the number, in whatever place that is. */
export function withoutCardNumber(record: string): string {
  return record.replace(/\d{12,}/g, (run) => "*".repeat(run.length));
}

/** What a record says, whichever number it has in its file: without that, and the card's. */
export function withoutNumbers(record: string): string {
  const [, last] = detailFields.cardNumber;
  return record.slice(last);
}

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

/** What systems put behind the last record of a file: line ends, ^Z, NUL. */
const filling = /^[^!-~]*$/;

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
    this.#records = Math.floor((bytes + 1) / recordBytes);
    this.#isWhole = (bytes + 1) % recordBytes < 2;
  }

  /** Undefined as long as the file is well-formed. */
  add(part: Uint8Array): FaultyRecord | undefined {
    const text = Buffer.from(part).toString("latin1");
    for (let start = 0; start < text.length; start += recordBytes) {
      this.#read += 1;
      const read = text.slice(start, start + recordBytes);
      // The last record of a file may lack it.
      const line = read.length === recordLength && this.#read === this.#records ? `${read}\n` : read;
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
    if (this.#read > this.#records && filling.test(line)) return undefined;
    if (line.length !== recordBytes || !line.endsWith("\n") || record.includes("\n"))
      return "it must be 200 characters and a line feed";
    if (this.#read === 1) {
      const header = readHeader(record);
      return "reason" in header ? header.reason : undefined;
    }
    if (this.#read < this.#records || !(this.#isWhole || record.startsWith("TRL"))) {
      // Whatever else is wrong in it is its own: it is rejected alone.
      const read = readFields(record.slice(0, 44).padEnd(recordLength), "DET", { amount: [33, 44, digits] });
      if ("reason" in read) return read.reason;
      this.#sum += BigInt(read.amount);
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
