import * as z from "zod";
import {
  type BankAdapter,
  type BankMessage,
  type BankRecord,
  isFiller,
  type RefusedFile,
} from "../../contract/bank.ts";
import { withoutCardNumbers } from "../../contract/card-numbers.ts";
import { positiveAmount, text } from "../../contract/primitives.ts";
import { readEntry, readGroupReturn, readReturn } from "./read-entry.ts";
import { type Element, findFirst, largestBytes, readXml, XmlError } from "./read-xml.ts";

/** Statements and credit notifications (camt.053, camt.054), payment returns, and webhooks. */
export const iso20022: BankAdapter = { largestBytes, readFile, readMessage };

const kinds =
  /^urn:(?:iso:std:iso:20022:tech|swift):xsd:\$?(camt\.05[34]|pacs\.004)\.001\.(?:0[2-9]|1[0-3])$/;
const taken = new Set(["Document", "PmtRtr", "Ntry", "TxInf"]);

function readFile(bytes: Uint8Array): readonly BankRecord[] | RefusedFile {
  const records: BankRecord[] = [];
  const namespaces: string[] = [];
  const entries = new WeakMap<Element, number>();
  let returns = 0;
  const visit = (element: Element, ancestors: readonly Element[], namespace: string) => {
    if (element.name === "Document") namespaces.push(namespace);
    const [, kind] = kinds.exec(namespace) ?? [];
    const parent = ancestors.at(-1);
    if (kind === undefined || parent === undefined) return;
    if (element.name === "Ntry" && kind !== "pacs.004") {
      const number = (entries.get(parent) ?? 0) + 1;
      entries.set(parent, number);
      const header = findFirst(ancestors[1], "GrpHdr");
      records.push(...readEntry({ entry: element, statement: parent, header, number, report: kind }));
    } else if (element.name === "TxInf" && kind === "pacs.004") {
      returns += 1;
      records.push(readReturn(element, parent));
    } else if (element.name === "PmtRtr") {
      const group = returns === 0 ? readGroupReturn(element) : undefined;
      if (group) records.push(group);
      returns = 0;
    }
  };
  try {
    readXml(bytes, taken, visit);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return { record: records.length + 1, reason: error.message };
  }
  const other = namespaces.find((one) => !kinds.test(one));
  if (namespaces.length > 0 && other === undefined) return records;
  const what = other === undefined ? "It has no Document" : `Its Document is of "${other}"`;
  return {
    record: 1,
    reason: `${what}; it must be of camt.053, camt.054 or pacs.004, version 02 to 13. Reports of the day, camt.052, are not final.`,
  };
}

const bankReference = text(64).refine((one) => !isFiller(one), "must identify the deposit");
const common = { eventId: text(64), bankReference };

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

/** A webhook of a bank. */
export function readMessage(body: string): BankMessage {
  const read = Message.safeParse(parseJson(body));
  if (!read.success) {
    const faults = read.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
    return { reason: faults.join("; ") };
  }
  const { eventId } = read.data;
  const bankReference = withoutCardNumbers(read.data.bankReference);
  const references = { accountServicer: bankReference };
  if (read.data.type === "deposit.returned") return { eventId, event: { kind: "returned", references } };
  const { reference, amount, currency } = read.data;
  const remittance = reference === undefined ? [] : [withoutCardNumbers(reference)];
  return {
    eventId,
    event: { kind: "deposited", references, remittance, amount, currency },
  };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
