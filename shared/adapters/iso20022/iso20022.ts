import * as z from "zod";
import {
  type BankAdapter,
  BankDeposited,
  type BankEvent,
  type BankMessage,
  type BankRecord,
  BankReturned,
  type RefusedFile,
} from "../../contract/bank.ts";
import { positiveAmount, text } from "../../contract/primitives.ts";
import { toMinorUnits } from "../minor-units.ts";
import {
  type Element,
  findAll,
  findFirst,
  largestBytes,
  readXml,
  textAt,
  toText,
  XmlError,
} from "./read-xml.ts";

const notification = "urn:iso:std:iso:20022:tech:xsd:camt.054.001.08";
const paymentReturn = "urn:iso:std:iso:20022:tech:xsd:pacs.004.001.09";

type Candidate = Record<string, unknown>;

/** Credit notifications (camt.054.001.08), payment returns (pacs.004.001.09), and webhooks. */
export const iso20022: BankAdapter = { largestBytes, readFile, readMessage };

function readFile(bytes: Uint8Array): readonly BankRecord[] | RefusedFile {
  const records: BankRecord[] = [];
  let found: string | undefined;
  const visit = (element: Element, ancestors: readonly Element[], namespace: string) => {
    if (element.name === "Document" && ancestors.length === 0) found = namespace;
    if (namespace === notification && element.name === "Ntry")
      records.push(...readEntry(element, ancestors.at(-1)));
    if (namespace === paymentReturn && element.name === "TxInf") records.push(readReturn(element));
  };
  try {
    readXml(bytes, new Set(["Document", "Ntry", "TxInf"]), visit);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return { record: records.length + 1, reason: error.message };
  }
  if (found === notification || found === paymentReturn) return records;
  const what = found === undefined ? "Its root element is not Document" : `Its namespace is "${found}"`;
  return { record: 1, reason: `${what}; it must be a Document of ${notification} or ${paymentReturn}.` };
}

/**
 * The booked credits of an entry: each of its transactions, or the entry itself if it has none.
 * Reversals of bookings are rejected.
 */
function readEntry(entry: Element, statement: Element | undefined): BankRecord[] {
  const status = textAt(entry, "Sts", "Cd") ?? textAt(entry, "Sts");
  if (status !== "BOOK") return [];
  const transactions = findAll(entry, "NtryDtls", "TxDtls");
  const parts = transactions.length > 0 ? transactions : [entry];
  const indicator = textAt(entry, "CdtDbtInd");
  const account = textAt(statement, "Acct", "Id", "IBAN");
  const ofEntry = textAt(entry, "AcctSvcrRef");
  const references = parts.map((part) => textAt(part, "Refs", "AcctSvcrRef"));
  return parts.flatMap((part, index) => {
    if (/^(true|1)$/.test(textAt(part, "RvslInd") ?? textAt(entry, "RvslInd") ?? ""))
      return [{ ...placeOf(part), reason: "RvslInd: the bank reverses a booking; correct it by hand." }];
    if ((textAt(part, "CdtDbtInd") ?? indicator) !== "CRDT") return [];
    const amount = findFirst(part, "Amt") ?? findFirst(part, "AmtDtls", "TxAmt", "Amt");
    const candidate = {
      kind: "deposited",
      account,
      ...identityOf(references, index, ofEntry),
      endToEndId: payerReference(part, "Refs", "EndToEndId"),
      remittance: remittanceOf(part),
      ...toAmount(amount ?? (parts.length === 1 ? findFirst(entry, "Amt") : undefined)),
    };
    return [toRecord(BankDeposited, candidate, part)];
  });
}

/** Transactions with the same reference, or only their entry's, are identified by their places. */
function identityOf(
  references: readonly (string | undefined)[],
  index: number,
  ofEntry: string | undefined,
): Candidate {
  const own = references[index];
  const reference = own ?? ofEntry;
  const isShared = references.some((one, other) => other !== index && (one ?? ofEntry) === reference);
  if (reference === undefined || !(isShared || (own === undefined && references.length > 1)))
    return { bankReference: reference };
  return { bankReference: `${reference}#${index + 1}`, dividedReference: reference };
}

/** Structured references first: they are one reference each, not words among others. */
function remittanceOf(part: Element): string[] {
  const structured = findAll(part, "RmtInf", "Strd", "CdtrRefInf", "Ref");
  const texts = [...structured, ...findAll(part, "RmtInf", "Ustrd")].map((one) => one.text.trim());
  return texts.filter((one) => one !== "").map((one) => one.replace(/\p{Cc}+/gu, " ").slice(0, 500));
}

function readReturn(returned: Element): BankRecord {
  const candidate = {
    kind: "returned",
    account: textAt(returned, "OrgnlTxRef", "CdtrAcct", "Id", "IBAN"),
    bankReference: textAt(returned, "OrgnlTxId"),
    endToEndId: payerReference(returned, "OrgnlEndToEndId"),
    returnId: textAt(returned, "RtrId"),
    ...toAmount(findFirst(returned, "RtrdIntrBkSttlmAmt")),
  };
  return toRecord(BankReturned, candidate, returned);
}

/** Banks have texts for a payer who gave none. */
function payerReference(element: Element, ...path: readonly string[]): string | undefined {
  const found = textAt(element, ...path);
  return /^(NOTPROVIDED|NONREF)$/i.test(found ?? "") ? undefined : found;
}

/** What cannot be converted stays as it is, so that the record is refused for it. */
function toAmount(amount: Element | undefined): Candidate {
  if (amount === undefined) return {};
  const currency = amount.attributes.Ccy ?? "";
  const decimal = amount.text.trim();
  return { currency, amount: toMinorUnits(decimal, currency) ?? decimal };
}

/** The names of the fields in the file. */
const places: Readonly<Record<string, string>> = {
  account: "Acct/Id/IBAN",
  bankReference: "AcctSvcrRef",
  endToEndId: "EndToEndId",
  returnId: "RtrId",
  amount: "Amt",
  currency: "Amt/@Ccy",
};

function toRecord(schema: z.ZodType<BankEvent>, candidate: Candidate, element: Element): BankRecord {
  const place = placeOf(element);
  const required = candidate.kind === "deposited" && candidate.account === undefined ? ["account"] : [];
  const parsed = schema.safeParse(candidate);
  const faults = [...required, ...(parsed.error?.issues.map(({ path }) => String(path[0])) ?? [])];
  const isNamed = candidate.bankReference !== undefined || candidate.endToEndId !== undefined;
  if (candidate.kind === "returned" && !isNamed)
    return { ...place, reason: "It has neither OrgnlTxId nor OrgnlEndToEndId." };
  if (parsed.success && faults.length === 0) return { event: parsed.data, ...place };
  const named = [...new Set(faults)].map((fault) => describeFault(fault, candidate[fault]));
  return { ...place, reason: `${named.join("; ")}.` };
}

function placeOf(element: Element): Pick<BankRecord, "input" | "line"> {
  return { input: toText(element), line: element.line };
}

function describeFault(field: string, value: unknown): string {
  const place = places[field] ?? field;
  return value === undefined ? `${place} is missing` : `${place} is not allowed: ${JSON.stringify(value)}`;
}

const common = { eventId: text(64), bankReference: text(64) };

const Message = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("deposit.announced"),
    ...common,
    reference: text(500).optional(),
    amount: positiveAmount,
    currency: z.string().regex(/^[A-Z]{3}$/, "must be an ISO 4217 code"),
  }),
  z.object({ type: z.literal("deposit.returned"), ...common }),
]);

function readMessage(body: string): BankMessage {
  const read = Message.safeParse(parseJson(body));
  if (!read.success) {
    const faults = read.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
    return { reason: faults.join("; ") };
  }
  const { eventId, bankReference } = read.data;
  if (read.data.type === "deposit.returned") return { eventId, event: { kind: "returned", bankReference } };
  const { reference, amount, currency } = read.data;
  const remittance = reference === undefined ? [] : [reference];
  return { eventId, event: { kind: "deposited", bankReference, remittance, amount, currency } };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
