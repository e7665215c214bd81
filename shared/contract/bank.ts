import * as z from "zod";
import { accountKey } from "./bank-account.ts";
import { id, positiveAmount, text } from "./primitives.ts";

/** What a bank reports, in whatever format. A bank's adapter makes these from it. */

const currency = z.string().regex(/^[A-Z]{3}$/, "must be an ISO 4217 code");

const reference = text(140);

/**
 * What the bank and the payer call a payment; of a return: what they called the original one.
 * Without what only fills a field: see `isFiller`.
 */
export const BankReferences = z.object({
  /** The bank's own (AcctSvcrRef): of the payment, else of its entry, which others may share. */
  accountServicer: reference.optional(),
  /** That of its entry, which may be reported without its payments, too. */
  entry: reference.optional(),
  transaction: reference.optional(),
  endToEnd: reference.optional(),
  instruction: reference.optional(),
  message: reference.optional(),
  clearing: reference.optional(),
  uetr: reference.optional(),
});
export type BankReferences = Readonly<z.output<typeof BankReferences>>;

/** Where a bank's report stands. A webhook has none. */
export const BankPlace = z.object({
  statement: reference.optional(),
  /** The statement's number and time, for statements that have the same id. */
  sequence: reference.optional(),
  created: reference.optional(),
  page: reference.optional(),
  /** Counted from 1, in the statement. */
  entry: z.int().min(1),
  /** Counted from 1, in an entry of several payments. */
  detail: z.int().min(1).optional(),
  /** Counted from 1, where the file has several statements of this name: absent of the first. */
  copy: z.int().min(2).optional(),
});
export type BankPlace = Readonly<z.output<typeof BankPlace>>;

/** SHA-256 of all that the bank and the payer wrote of a payment, without its place. */
const content = z.string().regex(/^[0-9a-f]{64}$/);

const fillers = new Set(
  (
    "BLANK DEFAULT EMPTY GEENREFERENTIE KEINE KEINEANGABE KEINEREFERENZ NA ND NICHTANGEGEBEN NIL " +
    "NOEREF NOID NOINFORMATION NONE NONREF NONREFERENCE NOREF NOREFERENCE NOREFERENCEGIVEN " +
    "NOREFGIVEN NOTAPPLICABLE NOTAVAILABLE NOTGIVEN NOTKNOWN NOTPRESENT NOTPROVIDE NOTPROVIDED " +
    "NOTSPECIFIED NOTSTATED NOTSUPPLIED NOTUSED NULL OHNEREFERENZ PASDEREFERENCE REF REFERENCE " +
    "SANSREFERENCE SENZARIFERIMENTO SINREF SINREFERENCIA TBD UNDEFINED UNKNOWN UNSPECIFIED"
  ).split(" "),
);

/** Whether a reference only fills its field: it names no payment, and many have the same one. */
export function isFiller(written: string): boolean {
  const plain = written.toUpperCase().replace(/[^\p{L}\p{N}]/gu, "");
  return /^(0*|X*|(.)\2+)$/u.test(plain) || fillers.has(plain);
}

const longEnough = 12;

/** A reference that one of them has in capitals, without marks and zeros, or cut is the same. */
export function areOthers(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const [short = "", long = ""] = [one, other]
    .map((written) => written.toUpperCase().replace(/^[^\p{L}1-9]+|[^\p{L}\p{N}]/gu, ""))
    .toSorted((some, others) => some.length - others.length);
  return short !== long && !(short.length >= longEnough && long.startsWith(short));
}

/** Why a payment was refused or came back: an ISO 20022 code. */
const reasonCode = z.string().regex(/^[A-Z0-9]{4}$/);

/** What an entry or a return says of a payment that the platform has ordered. */
const ofOrder = {
  /** The `PmtInfId` of payments that are booked together. */
  batch: reference.optional(),
  reasonCode: reasonCode.optional(),
  /** What the bank has charged, in a sum with the payment. */
  charges: positiveAmount.optional(),
  /** An entry says that a payment has come back: `RtrInf`, or a code like RRTN. */
  isReturn: z.boolean().optional(),
  /** What it stands in: another kind of report may say less of the same payment. */
  report: text(20).optional(),
};

/** Money has arrived on a Program's collecting account. */
export const BankDeposited = z.object({
  kind: z.literal("deposited"),
  ...ofOrder,
  /** The collecting account. Absent where the connection says the Program. */
  account: accountKey.optional(),
  references: BankReferences,
  place: BankPlace.optional(),
  content: content.optional(),
  /**
   * Hashes of what any kind of report says of a payment: where two have it, it is the same. `sum`:
   * what the entry of several payments comes to.
   */
  facts: z.record(z.string(), z.string()).optional(),
  /** What stands where a creditor's reference belongs. `remittance` begins with them. */
  creditorReferences: z.array(text(500)).optional(),
  /** Texts that may name a Wallet or Card: the structured reference first. */
  remittance: z.array(text(500)),
  amount: positiveAmount,
  currency,
  /** Why the payments of an entry cannot be told: all of it waits in suspense. */
  suspend: text(200).optional(),
});
export type BankDeposited = z.output<typeof BankDeposited>;

/** The bank takes back a deposit. */
export const BankReturned = z.object({
  kind: z.literal("returned"),
  ...ofOrder,
  account: accountKey.optional(),
  references: BankReferences,
  place: BankPlace.optional(),
  content: content.optional(),
  /** All payments of the original message, `references.message`. */
  group: z.object({ transactions: z.int().min(0).optional() }).optional(),
  /** The bank's reference of the return itself: tells two returns of equal parts apart. */
  returnId: text(64).optional(),
  /** Absent: all that is left of the deposit. */
  amount: positiveAmount.optional(),
  currency: currency.optional(),
});
export type BankReturned = z.output<typeof BankReturned>;

/** Money has left the account, and it takes no deposit back. */
export const BankDebited = z.object({
  kind: z.literal("debited"),
  ...ofOrder,
  account: accountKey.optional(),
  references: BankReferences,
  place: BankPlace.optional(),
  amount: positiveAmount,
  currency,
});
export type BankDebited = z.output<typeof BankDebited>;

/** What the bank says of an order: of one payment, of all of a `PmtInf`, or of a whole message. */
export const BankStatus = z.object({
  kind: z.literal("status"),
  ...ofOrder,
  references: BankReferences,
  /** Accepted decides nothing yet. A file never says the last two: entries and returns do. */
  status: z.enum(["accepted", "completed", "rejected", "collected", "returned"]),
  /** Which kind of order a webhook is about. */
  of: z.enum(["payout", "pull"]).optional(),
  /** The `EndToEndId` (else `InstrId`) or `PmtInfId` of what has a status of its own. */
  except: z.array(z.string()).optional(),
  amount: positiveAmount.optional(),
  currency: currency.optional(),
});
export type BankStatus = z.output<typeof BankStatus>;

export const BankEvent = z.discriminatedUnion("kind", [BankDeposited, BankReturned]);
export type BankEvent = z.output<typeof BankEvent>;

/** What is refused, unless it is of a payment that the platform has ordered. */
export type BankOrdered = BankDebited | BankStatus | BankDeposited;

/** What a bank's webhook reports: `processor-events` applies it by direct invocation. */
export const BankReport = z.object({
  kind: z.literal("bank_report"),
  programId: id("program"),
  event: z.discriminatedUnion("kind", [BankDeposited, BankReturned, BankStatus]),
  /** Names the webhook. A repetition has the same one. */
  origin: text(200),
});
export type BankReport = z.output<typeof BankReport>;

/** What became of a report of a bank or custodian. */
export const ReportResult = z.discriminatedUnion("status", [
  /** `ignored`: nothing has moved, and nothing is to be done. */
  z.object({ status: z.enum(["applied", "duplicate", "suspense", "ignored"]) }),
  z.object({ status: z.literal("rejected"), reason: z.string() }),
]);
export type ReportResult = z.output<typeof ReportResult>;

/** A record of a bank's file, or why it cannot be read. */
export type BankRecord = (
  | { readonly event: BankEvent }
  | { readonly reason: string; readonly ordered?: BankOrdered }
) & {
  /** Kept for the operator. */
  readonly input: string;
  /** Where it begins in the file, counted from 1. */
  readonly line?: number;
  /** What it stands for, also if it is refused, as far as it can be read. */
  readonly money?: BankMoney | undefined;
  /** The first record of an entry has it: what moved on the account. */
  readonly entry?: BankMoney | undefined;
};

export interface BankMoney {
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
}

/** What a statement says of its account. Its first page opens, its last page closes. */
export interface BankStatement {
  /** The day on which it was made. */
  readonly made?: string | undefined;
  /** Only a part has one. `names`: another page may have none of them. */
  readonly page?: BankPage | undefined;
  readonly account: string;
  readonly currency: string;
  /** The same one if it is sent again. */
  readonly statement: string;
  readonly opening?: BankBalance | undefined;
  /** Without an amount where it cannot be told: the next statement may open with any. */
  readonly closing?: (Pick<BankBalance, "date"> & Partial<BankBalance>) | undefined;
  /** Kept for the operator. */
  readonly input: string;
}

export interface BankPage {
  readonly names: readonly string[];
  readonly number: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

interface BankBalance {
  /** `2026-11-30`. */
  readonly date: string;
  /** Minor units; less than 0 is owed to the bank. */
  readonly amount: number;
}

/** The file as a whole cannot be read. */
export interface RefusedFile {
  /** Counted from 1: where reading ended. */
  readonly record: number;
  readonly reason: string;
}

export interface BankMessage {
  readonly eventId: string;
  readonly event: BankEvent | BankStatus;
}

/** An account at a bank: an IBAN, or the bank's routing number with the account's own. */
export type OrderedAccount =
  | { readonly iban: string }
  | {
      readonly routingNumber: string;
      readonly accountNumber: string;
      readonly accountType?: "checking" | "savings" | undefined;
    };

/** The mandate, as the payment file states it. */
export const OrderedMandate = z.object({
  reference: z.string(),
  /** `2026-11-30`. */
  signedOn: z.string(),
  sequence: z.enum(["first", "recurring"]),
});

/** A payment that the bank is to make, or to collect. */
export interface PaymentOrder {
  readonly endToEndId: string;
  readonly instrId: string;
  /** Minor units. */
  readonly amount: number;
  /** `2026-11-30`: when it is to be made or collected. */
  readonly date: string;
  readonly name: string;
  readonly account: OrderedAccount;
  /** What who is paid or pays reads of it. */
  readonly reference?: string | undefined;
  /** Only what is collected has one. */
  readonly mandate?: Readonly<z.output<typeof OrderedMandate>> | undefined;
}

/** A file of orders, credit transfers or direct debits: what it says beside them. */
export interface PaymentOrders {
  readonly kind: "pain.001" | "pain.008";
  /** At most 26 letters and digits: no other file has it. */
  readonly messageId: string;
  readonly createdAt: string;
  /** Whose account pays or is paid. */
  readonly name: string;
  readonly account: OrderedAccount;
  /** An ISO 4217 code. */
  readonly currency: string;
  /** The bank knows who collects by it. */
  readonly creditorId?: string | undefined;
  readonly count: number;
  /** What they come to. */
  readonly sum: number;
}

/** What each adapter of the bank port exports. Pure: it reads nothing and sends nothing. */
export interface BankAdapter {
  /** A file is read whole: no longer one is taken. */
  readonly largestBytes: number;
  /** `note` gets the balances of each statement. */
  readFile(bytes: Uint8Array, note?: (statement: BankStatement) => void): readonly BankRecord[] | RefusedFile;
  /** `body`: of a webhook, after its signature was verified. @throws RefusedInputError */
  readMessage(body: string): BankMessage;
}
