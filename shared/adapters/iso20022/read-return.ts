import { type BankMoney, type BankRecord, BankReturned } from "../../contract/bank.ts";
import {
  accountIn,
  type Element,
  exactMoneyIn,
  findAlong,
  findFirst,
  hashElements,
  isTrue,
  moneyIn,
  reasonIn,
  referenceAt,
  referencesIn,
  textAt,
  toRecord,
  toText,
} from "./read-xml.ts";

/** A transaction of pacs.004. */
export function readReturn(returned: Element, message: Element | undefined): BankRecord {
  const original = findFirst(returned, "OrgnlTxRef");
  const group =
    referenceAt(returned, "OrgnlGrpInf", "OrgnlMsgId") ?? referenceAt(message, "OrgnlGrpInf", "OrgnlMsgId");
  const references = {
    ...(group !== undefined && { message: group }),
    ...referencesIn(returned, "Orgnl"),
  };
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
