import { type BankMoney, type BankRecord, BankReturned, BankStatus } from "../../contract/bank.ts";
import {
  accountIn,
  type Candidate,
  type Element,
  exactMoneyIn,
  findAll,
  findAlong,
  findFirst,
  hashElements,
  isTrue,
  moneyIn,
  reasonIn,
  referenceAt,
  referencesIn,
  textAt,
  toOrdered,
  toRecord,
  toText,
} from "./read-xml.ts";

/** What a code says of a payment. `PART` says nothing: each payment has a status of its own. */
const meanings: Readonly<Record<string, BankStatus["status"] | "none">> = {
  ...{ RCVD: "accepted", ACTC: "accepted", ACCP: "accepted", ACFC: "accepted", ACSP: "accepted" },
  ...{ ACWC: "accepted", ACWP: "accepted", PDNG: "accepted", PATC: "accepted", RCVC: "accepted" },
  ...{ ACSC: "completed", ACCC: "completed", RJCT: "rejected", PART: "none" },
};

/**
 * Reads pain.002 and pacs.002 element by element, as they end. A payment without a status has that
 * of its `PmtInf`, else of the group; those that a message does not list have it too.
 */
export function readStatuses(): (element: Element, ancestors: readonly Element[]) => BankRecord[] {
  /** Payments of the `PmtInf` that is read; and payments and batches of the message. */
  let ofBatch: string[] = [];
  let ofGroup: string[] = [];
  return (element, ancestors) => {
    if (element.name === "TxInfAndSts") {
      const payment = readReferences(element, ancestors);
      const name = payment.endToEnd ?? payment.instruction;
      if (name !== undefined) (isInBatch(ancestors) ? ofBatch : ofGroup).push(name);
      return [readPayment(element, ancestors, payment)];
    }
    if (element.name === "OrgnlPmtInfAndSts") {
      const except = ofBatch;
      ofBatch = [];
      const code = textAt(element, "PmtInfSts");
      const name = referenceAt(element, "OrgnlPmtInfId");
      const hasOwn = code !== undefined && meanings[code] !== "none";
      ofGroup.push(...(hasOwn && name !== undefined ? [name] : except));
      return hasOwn ? [readBatch(element, code, except)] : [];
    }
    const except = ofGroup;
    ofGroup = [];
    return findAll(element, "OrgnlGrpInfAndSts").flatMap((group) => readGroup(group, except));
  };
}

const isInBatch = (ancestors: readonly Element[]) => ancestors.at(-1)?.name === "OrgnlPmtInfAndSts";

function readReferences(payment: Element, [, message]: readonly Element[]) {
  const group =
    referenceAt(payment, "OrgnlGrpInf", "OrgnlMsgId") ??
    referenceAt(message, "OrgnlGrpInfAndSts", "OrgnlMsgId");
  return { ...(group !== undefined && { message: group }), ...referencesIn(payment, "Orgnl") };
}

function readPayment(
  payment: Element,
  ancestors: readonly Element[],
  references: ReturnType<typeof readReferences>,
): BankRecord {
  const parent = ancestors.at(-1);
  const [, message] = ancestors;
  const inherited = [
    isInBatch(ancestors) ? textAt(parent, "PmtInfSts") : undefined,
    textAt(findGroup(payment, message), "GrpSts"),
  ];
  const code = [textAt(payment, "TxSts"), ...inherited].find((one) => one !== undefined && one !== "PART");
  const original = findAlong(
    payment,
    ["OrgnlTxRef", "Amt", "InstdAmt"],
    ["OrgnlTxRef", "IntrBkSttlmAmt"],
    ["OrgnlTxRef", "InstdAmt"],
  );
  const source = { input: toText(payment), line: payment.line };
  if (references.endToEnd === undefined && references.instruction === undefined)
    return { ...source, reason: "It has neither OrgnlEndToEndId nor OrgnlInstrId." };
  const reasons = [payment, ...(isInBatch(ancestors) && parent ? [parent] : [])];
  return toStatus(
    code,
    "TxSts",
    { references, ...reasonIn("StsRsnInf", ...reasons), ...moneyIn(original) },
    source,
  );
}

/** A message may be about several: each payment says which one it was in. */
function findGroup(payment: Element, message: Element | undefined): Element | undefined {
  const groups = findAll(message, "OrgnlGrpInfAndSts");
  if (groups.length < 2) return groups[0];
  const own = referenceAt(payment, "OrgnlGrpInf", "OrgnlMsgId");
  return groups.find((one) => own !== undefined && referenceAt(one, "OrgnlMsgId") === own);
}

/** What it says of the payments that it does not list. */
function readBatch(element: Element, code: string, except: readonly string[]): BankRecord {
  const batch = referenceAt(element, "OrgnlPmtInfId");
  const source = { input: toText(element), line: element.line };
  if (batch === undefined) return { ...source, reason: "OrgnlPmtInfId is missing." };
  return toStatus(
    code,
    "PmtInfSts",
    { references: {}, batch, except, ...reasonIn("StsRsnInf", element) },
    source,
  );
}

function readGroup(group: Element, except: readonly string[]): BankRecord[] {
  const code = textAt(group, "GrpSts");
  const message = referenceAt(group, "OrgnlMsgId");
  if (code === undefined || meanings[code] === "none") return [];
  const source = { input: toText(group), line: group.line };
  if (message === undefined) return [{ ...source, reason: "OrgnlMsgId is missing." }];
  return [
    toStatus(code, "GrpSts", { references: { message }, except, ...reasonIn("StsRsnInf", group) }, source),
  ];
}

function toStatus(
  code: string | undefined,
  place: string,
  candidate: Candidate,
  source: Pick<BankRecord, "input" | "line">,
): BankRecord {
  const status = code === undefined ? undefined : meanings[code];
  if (status === undefined || status === "none")
    return { ...source, reason: `${place} is not allowed: ${JSON.stringify(code ?? null)}.` };
  return toOrdered(BankStatus, { kind: "status", status, ...candidate }, source, `It is the status ${code}`);
}

/** A transaction of pacs.004. */
export function readReturn(returned: Element, message: Element | undefined): BankRecord {
  const original = findFirst(returned, "OrgnlTxRef");
  const group =
    referenceAt(returned, "OrgnlGrpInf", "OrgnlMsgId") ?? referenceAt(message, "OrgnlGrpInf", "OrgnlMsgId");
  const references = { ...(group !== undefined && { message: group }), ...referencesIn(returned, "Orgnl") };
  const money = findAlong(returned, ["RtrdIntrBkSttlmAmt"], ["RtrdInstdAmt"]);
  const source = { input: toText(returned), line: returned.line };
  if (Object.keys(references).length === 0)
    return { ...source, reason: "It has no reference of the original payment." };
  const candidate = {
    kind: "returned",
    account: accountIn(findFirst(original, "CdtrAcct"), findFirst(original, "CdtrAgt")),
    references,
    returnId: referenceAt(returned, "RtrId"),
    content: hashElements([returned]),
    ...reasonIn("RtrRsnInf", returned),
    ...moneyIn(money),
  };
  return withMoney(toRecord(BankReturned, candidate, source), exactMoneyIn(money));
}

function withMoney(record: BankRecord, money: BankMoney | undefined): BankRecord {
  return money ? { ...record, money, entry: money } : record;
}

/**
 * All payments of an original message, if none is named. Undefined if the message returns no whole
 * group.
 */
export function readGroupReturn(message: Element | undefined): BankRecord | undefined {
  const header = findFirst(message, "GrpHdr");
  if (message === undefined || !isTrue(header, "GrpRtr")) return undefined;
  const source = { input: toText(message), line: message.line };
  const reference = referenceAt(message, "OrgnlGrpInf", "OrgnlMsgId");
  if (reference === undefined) return { ...source, reason: "GrpRtr: OrgnlGrpInf/OrgnlMsgId is missing." };
  const total = findFirst(header, "TtlRtrdIntrBkSttlmAmt");
  const transactions = textAt(message, "OrgnlGrpInf", "OrgnlNbOfTxs") ?? textAt(header, "NbOfTxs");
  const count = /^\d{1,15}$/.test(transactions ?? "") ? Number(transactions) : undefined;
  const candidate = {
    kind: "returned",
    references: { message: reference },
    group: count === undefined ? {} : { transactions: count },
    returnId: referenceAt(header, "MsgId"),
    content: hashElements([message]),
    ...moneyIn(total),
  };
  return withMoney(toRecord(BankReturned, candidate, source), exactMoneyIn(total));
}
