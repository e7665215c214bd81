import type { OrderedAccount, PaymentOrder, PaymentOrders } from "../../contract/bank.ts";
import { isCreditorReference } from "../../contract/creditor-reference.ts";
import { countDecimals, toDecimal } from "../../contract/currencies.ts";
import { isInSepa } from "../../contract/iban.ts";
import { type Element, toText } from "./read-xml.ts";
import { toSepaText } from "./sepa-text.ts";

/** What decides in which batch of its file an order is. */
interface Batched {
  readonly date: string;
  readonly amount: number;
  /** The account's. */
  readonly country: string;
  readonly mandate?: PaymentOrder["mandate"];
}

/** Orders of one date, scheme and sequence: the bank may book them together. */
export interface OrderBatch {
  readonly key: string;
  readonly date: string;
  /** Euros to or from a country of SEPA. */
  readonly isSepa: boolean;
  readonly sequence: "first" | "recurring" | undefined;
  readonly count: number;
  readonly sum: number;
}

type Kept = Pick<PaymentOrders, "kind" | "messageId" | "currency">;
type OfBatch = Omit<Batched, "amount">;

function toBatch({ kind, currency }: Omit<Kept, "messageId">, { date, country, mandate }: OfBatch) {
  const isSepa = currency === "EUR" && isInSepa(country);
  const sequence = kind === "pain.008" ? mandate?.sequence : undefined;
  return { key: [date, isSepa, sequence].join(" "), date, isSepa, sequence };
}

export function toBatchKey(file: Omit<Kept, "messageId">, order: OfBatch): string {
  return toBatch(file, order).key;
}

/**
 * A file's batches, which have its orders in any order: they are counted first, one by one, so
 * that a file is written, and its parts are named, without all its orders at hand.
 */
export class OrderBatches {
  readonly #file: Kept;
  readonly #found = new Map<string, OrderBatch>();

  constructor(file: Kept) {
    this.#file = file;
  }

  /** Returns the batch's key. */
  add({ amount, ...order }: Batched): string {
    const batch = toBatch(this.#file, order);
    const { count, sum } = this.#found.get(batch.key) ?? { count: 0, sum: 0 };
    this.#found.set(batch.key, { ...batch, count: count + 1, sum: sum + amount });
    return batch.key;
  }

  /** In the order of the file, with the `PmtInfId` of each. They are those of all its orders. */
  list(): (OrderBatch & { readonly id: string })[] {
    const sorted = [...this.#found.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1));
    return sorted.map((batch, index) => ({ ...batch, id: `${this.#file.messageId}-${index + 1}` }));
  }
}

type Batch = ReturnType<OrderBatches["list"]>[number];

const messages = {
  "pain.001": {
    name: "CstmrCdtTrfInitn",
    version: "pain.001.001.09",
    toHead: toTransfersHead,
    toOne: toTransfer,
  },
  "pain.008": { name: "CstmrDrctDbtInitn", version: "pain.008.001.08", toHead: toDebitsHead, toOne: toDebit },
} as const;

/**
 * Credit transfers as pain.001.001.09, direct debits as pain.008.001.08, in the order of the
 * schema's elements, piece by piece. The same orders are the same bytes.
 */
export const orderText = {
  begin(file: PaymentOrders): string {
    const { name, version } = messages[file.kind];
    const header = element("GrpHdr", [
      element("MsgId", file.messageId),
      element("CreDtTm", file.createdAt),
      ...toTotals(file, file),
      element("InitgPty", [element("Nm", toName(file.name, { isSepa: file.currency === "EUR" }))]),
    ]);
    const document = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${version}">`;
    return `<?xml version="1.0" encoding="UTF-8"?>\n${document}<${name}>${toText(header)}`;
  },
  beginBatch(file: PaymentOrders, batch: Batch): string {
    return `<PmtInf>${messages[file.kind].toHead(file, batch).map(toElementText).join("")}`;
  },
  order(file: PaymentOrders, batch: Batch, order: PaymentOrder): string {
    return toText(messages[file.kind].toOne(file, batch, order));
  },
  endBatch: () => "</PmtInf>",
  end: ({ kind }: PaymentOrders) => `</${messages[kind].name}></Document>\n`,
} as const;

const toElementText = (one: Element) => toText(one);

function toTransfersHead(file: PaymentOrders, batch: Batch): Element[] {
  const { name, account } = file;
  return [
    ...toBatchHead(file, batch, "TRF"),
    element("PmtTpInf", [element("SvcLvl", [element("Cd", batch.isSepa ? "SEPA" : "NURG")])]),
    element("ReqdExctnDt", [element("Dt", batch.date)]),
    element("Dbtr", [element("Nm", toName(name, batch))]),
    element("DbtrAcct", toAccount(account)),
    element("DbtrAgt", [element("FinInstnId", toBank(account))]),
    element("ChrgBr", batch.isSepa ? "SLEV" : "SHAR"),
  ];
}

function toTransfer(file: PaymentOrders, batch: OrderBatch, order: PaymentOrder): Element {
  return element("CdtTrfTxInf", [
    toNames(order),
    element("Amt", [toInstructed(file, order)]),
    // By an IBAN, banks find the bank themselves.
    ...("iban" in order.account ? [] : [element("CdtrAgt", [element("FinInstnId", toBank(order.account))])]),
    element("Cdtr", [element("Nm", toName(order.name, batch))]),
    element("CdtrAcct", toAccount(order.account)),
    ...toRemittance(order),
  ]);
}

function toDebitsHead(file: PaymentOrders, batch: Batch): Element[] {
  const { name, account, creditorId } = file;
  const other = [
    element("Id", creditorId ?? ""),
    ...(batch.isSepa ? [element("SchmeNm", [element("Prtry", "SEPA")])] : []),
  ];
  const scheme = element("CdtrSchmeId", [element("Id", [element("PrvtId", [element("Othr", other)])])]);
  return [
    ...toBatchHead(file, batch, "DD"),
    element("PmtTpInf", [
      element("SvcLvl", [element("Cd", batch.isSepa ? "SEPA" : "NURG")]),
      element("LclInstrm", [element("Cd", batch.isSepa ? "CORE" : "PPD")]),
      element("SeqTp", batch.sequence === "first" ? "FRST" : "RCUR"),
    ]),
    element("ReqdColltnDt", batch.date),
    element("Cdtr", [element("Nm", toName(name, batch))]),
    element("CdtrAcct", toAccount(account)),
    element("CdtrAgt", [element("FinInstnId", toBank(account))]),
    element("ChrgBr", batch.isSepa ? "SLEV" : "SHAR"),
    ...(creditorId === undefined ? [] : [scheme]),
  ];
}

function toDebit(file: PaymentOrders, batch: Batch, order: PaymentOrder): Element {
  const { mandate } = order;
  if (!mandate) throw new Error(`The order ${order.endToEndId} has no mandate.`);
  return element("DrctDbtTxInf", [
    toNames(order),
    toInstructed(file, order),
    element("DrctDbtTx", [
      element("MndtRltdInf", [
        element("MndtId", toIdentifier(mandate.reference)),
        element("DtOfSgntr", mandate.signedOn),
      ]),
    ]),
    element("DbtrAgt", [element("FinInstnId", toBank(order.account))]),
    element("Dbtr", [element("Nm", toName(order.name, batch))]),
    element("DbtrAcct", toAccount(order.account)),
    ...toRemittance(order),
  ]);
}

function toBatchHead(file: PaymentOrders, batch: Batch, method: "TRF" | "DD"): Element[] {
  return [
    element("PmtInfId", batch.id),
    element("PmtMtd", method),
    element("BtchBookg", "false"),
    ...toTotals(file, batch),
  ];
}

function toTotals({ currency }: PaymentOrders, { count, sum }: Pick<Batch, "count" | "sum">): Element[] {
  return [element("NbOfTxs", String(count)), element("CtrlSum", toDecimal(sum, countDecimals(currency)))];
}

function toNames({ instrId, endToEndId }: PaymentOrder): Element {
  return element("PmtId", [element("InstrId", instrId), element("EndToEndId", endToEndId)]);
}

function toInstructed({ currency }: PaymentOrders, { amount }: PaymentOrder): Element {
  return element("InstdAmt", toDecimal(amount, countDecimals(currency)), { Ccy: currency });
}

/** SEPA takes half of what the schema has room for. What cannot be written is a dot. */
function toName(name: string, batch: Pick<OrderBatch, "isSepa">): string {
  return toSepaText(name, batch.isSepa ? 70 : 140) || ".";
}

/** EPC217-08 lets none begin or end with a slash, nor have two of them together. */
function toIdentifier(text: string): string {
  const plain = toSepaText(text, 35)
    .replace(/\/+/g, "/")
    .replace(/^\/|\/$/g, "");
  return plain || ".";
}

function toAccount(account: OrderedAccount): Element[] {
  if ("iban" in account) return [element("Id", [element("IBAN", account.iban)])];
  const { accountNumber, accountType } = account;
  const type = accountType === "savings" ? "SVGS" : "CACC";
  return [
    element("Id", [element("Othr", [element("Id", accountNumber)])]),
    ...(accountType === undefined ? [] : [element("Tp", [element("Cd", type)])]),
  ];
}

const abaLength = 9;

function toBank(account: OrderedAccount): Element[] {
  if ("iban" in account) return [element("Othr", [element("Id", "NOTPROVIDED")])];
  const { routingNumber } = account;
  const isAba = routingNumber.length === abaLength && /^\d+$/.test(routingNumber);
  const system = isAba ? [element("ClrSysId", [element("Cd", "USABA")])] : [];
  return [element("ClrSysMmbId", [...system, element("MmbId", routingNumber)])];
}

/** A creditor reference is given as one, so that banks verify it and who is paid can match it. */
function toRemittance({ reference = "" }: PaymentOrder): Element[] {
  const plain = reference.replace(/\s/g, "").toUpperCase();
  if (isCreditorReference(plain)) {
    const type = element("Tp", [element("CdOrPrtry", [element("Cd", "SCOR")])]);
    return [element("RmtInf", [element("Strd", [element("CdtrRefInf", [type, element("Ref", plain)])])])];
  }
  const text = toSepaText(reference, 140);
  return text === "" ? [] : [element("RmtInf", [element("Ustrd", text)])];
}

function element(name: string, inner: readonly Element[] | string, attributes: Element["attributes"] = {}) {
  return typeof inner === "string"
    ? { name, attributes, children: [], line: 0, text: inner }
    : { name, attributes, children: inner, line: 0, text: "" };
}
