import { type BankRecord, BankReturned } from "../../contract/bank.ts";
import { withoutCardNumbers } from "../../contract/card-numbers.ts";
import { sha256 } from "../../platform/sha256.ts";
import {
  accountIn,
  type Element,
  findAlong,
  findFirst,
  isTrue,
  moneyIn,
  referenceAt,
  referencesIn,
  textAt,
  toRecord,
  toText,
} from "./read-xml.ts";

/** A transaction of pacs.004. */
export function readReturn(returned: Element, message: Element | undefined): BankRecord {
  const original = findFirst(returned, "OrgnlTxRef");
  const groups = [findFirst(returned, "OrgnlGrpInf"), findFirst(message, "OrgnlGrpInf")];
  const group = groups.map((one) => referenceAt(one, "OrgnlMsgId")).find((one) => one !== undefined);
  const references = {
    ...(group !== undefined && { message: group }),
    ...referencesIn(returned, "Orgnl"),
  };
  const money = findAlong(returned, ["RtrdIntrBkSttlmAmt"], ["RtrdInstdAmt"]);
  const reasonCode = textAt(returned, "RtrRsnInf", "Rsn", "Cd");
  const source = { input: toText(returned), line: returned.line };
  if (Object.keys(references).length === 0)
    return { ...source, reason: "It has no reference of the original payment." };
  const candidate = {
    kind: "returned",
    account: accountIn(findFirst(original, "CdtrAcct"), findFirst(original, "CdtrAgt")),
    references,
    returnId: referenceAt(returned, "RtrId"),
    content: contentOfReturn(returned),
    ...(reasonCode !== undefined && /^[A-Z0-9]{4}$/.test(reasonCode) && { reasonCode }),
    ...moneyIn(money),
  };
  return withMoney(toRecord(BankReturned, candidate, source), moneyIn(money));
}

function withMoney(record: BankRecord, { amount, currency }: ReturnType<typeof moneyIn>): BankRecord {
  return typeof amount === "number" && currency !== undefined
    ? { ...record, money: { amount, currency }, entry: { amount, currency } }
    : record;
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
  const transactions = textAt(message, "OrgnlGrpInf", "OrgnlNbOfTxs") ?? textAt(header, "NbOfTxs");
  const count = /^\d{1,15}$/.test(transactions ?? "") ? Number(transactions) : undefined;
  const candidate = {
    kind: "returned",
    references: { message: reference },
    group: count === undefined ? {} : { transactions: count },
    returnId: referenceAt(header, "MsgId"),
    content: contentOfReturn(message),
    ...moneyIn(findFirst(header, "TtlRtrdIntrBkSttlmAmt")),
  };
  return withMoney(
    toRecord(BankReturned, candidate, source),
    moneyIn(findFirst(header, "TtlRtrdIntrBkSttlmAmt")),
  );
}

function contentOfReturn(element: Element): string {
  return sha256(toText(element, (text) => withoutCardNumbers(text.replace(/\s+/g, " "))));
}
