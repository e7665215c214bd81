import type { OrderedAccount, PaymentOrder, PaymentOrders } from "../../contract/bank.ts";
import { isCreditorReference } from "../../contract/creditor-reference.ts";
import { countDecimals, toDecimal } from "../../contract/currencies.ts";
import { type Element, toText } from "./read-xml.ts";
import { toSepaText } from "./sepa-text.ts";

/** Orders of one date, scheme and sequence: the bank may book them together. */
interface Batch {
  readonly id: string;
  /** Euros between IBANs. */
  readonly isSepa: boolean;
  readonly date: string;
  readonly sequence: "first" | "recurring" | undefined;
  readonly orders: readonly PaymentOrder[];
}

/**
 * Credit transfers as pain.001.001.09, direct debits as pain.008.001.08, in the order of the
 * schema's elements. The same orders are the same bytes.
 */
export function writeOrders(file: PaymentOrders): string {
  const [message, toPayment] =
    file.kind === "pain.001"
      ? (["CstmrCdtTrfInitn", toTransfers] as const)
      : (["CstmrDrctDbtInitn", toDebits] as const);
  const version = file.kind === "pain.001" ? "pain.001.001.09" : "pain.008.001.08";
  const header = element("GrpHdr", [
    element("MsgId", file.messageId),
    element("CreDtTm", file.createdAt),
    ...toTotals(file, file.orders),
    element("InitgPty", [element("Nm", toName(file.name, { isSepa: file.currency === "EUR" }))]),
  ]);
  const batches = groupOrders(file).map((batch) => toPayment(file, batch));
  const document = element("Document", [element(message, [header, ...batches])], {
    xmlns: `urn:iso:std:iso:20022:tech:xsd:${version}`,
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${toText(document)}\n`;
}

type Grouped = Pick<PaymentOrders, "kind" | "messageId" | "currency" | "orders">;

/** The `PmtInfId` of each order, in the order of the file's orders. */
export function toBatches(file: Grouped): string[] {
  const found = new Map(groupOrders(file).flatMap(({ id, orders }) => orders.map((order) => [order, id])));
  return file.orders.map((order) => found.get(order) ?? "");
}

function groupOrders({ kind, messageId, currency, orders }: Grouped): Batch[] {
  const described = orders.map((order) => ({
    order,
    isSepa: currency === "EUR" && "iban" in order.account,
    sequence: kind === "pain.008" ? order.mandate?.sequence : undefined,
  }));
  const groups = Map.groupBy(described, ({ order, isSepa, sequence }) =>
    [order.date, isSepa, sequence].join(" "),
  );
  const sorted = [...groups.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.flatMap(([, group], index) =>
    group.slice(0, 1).map(({ order: { date }, isSepa, sequence }) => ({
      id: `${messageId}-${index + 1}`,
      ...{ date, isSepa, sequence },
      orders: group.map(({ order }) => order),
    })),
  );
}

function toTransfers(file: PaymentOrders, batch: Batch): Element {
  const { name, account } = file;
  return element("PmtInf", [
    ...toBatchHead(file, batch, "TRF"),
    element("PmtTpInf", [element("SvcLvl", [element("Cd", batch.isSepa ? "SEPA" : "NURG")])]),
    element("ReqdExctnDt", [element("Dt", batch.date)]),
    element("Dbtr", [element("Nm", toName(name, batch))]),
    element("DbtrAcct", toAccount(account)),
    element("DbtrAgt", [element("FinInstnId", toBank(account))]),
    element("ChrgBr", batch.isSepa ? "SLEV" : "SHAR"),
    ...batch.orders.map((order) => toTransfer(file, batch, order)),
  ]);
}

function toTransfer(file: PaymentOrders, batch: Batch, order: PaymentOrder): Element {
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

function toDebits(file: PaymentOrders, batch: Batch): Element {
  const { name, account, creditorId } = file;
  const other = [
    element("Id", creditorId ?? ""),
    ...(batch.isSepa ? [element("SchmeNm", [element("Prtry", "SEPA")])] : []),
  ];
  const scheme = element("CdtrSchmeId", [element("Id", [element("PrvtId", [element("Othr", other)])])]);
  return element("PmtInf", [
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
    ...batch.orders.map((order) => toDebit(file, batch, order)),
  ]);
}

function toDebit(file: PaymentOrders, batch: Batch, order: PaymentOrder): Element {
  const { mandate } = order;
  if (!mandate) throw new Error(`The order ${order.endToEndId} has no mandate.`);
  return element("DrctDbtTxInf", [
    toNames(order),
    toInstructed(file, order),
    element("DrctDbtTx", [
      element("MndtRltdInf", [
        element("MndtId", toSepaText(mandate.reference, 35)),
        element("DtOfSgntr", mandate.signedOn),
      ]),
    ]),
    element("DbtrAgt", [element("FinInstnId", toBank(order.account))]),
    element("Dbtr", [element("Nm", toName(order.name, batch))]),
    element("DbtrAcct", toAccount(order.account)),
    ...toRemittance(order),
  ]);
}

function toBatchHead(file: PaymentOrders, { id, orders }: Batch, method: "TRF" | "DD"): Element[] {
  return [
    element("PmtInfId", id),
    element("PmtMtd", method),
    element("BtchBookg", "false"),
    ...toTotals(file, orders),
  ];
}

function toTotals({ currency }: PaymentOrders, orders: readonly PaymentOrder[]): Element[] {
  const sum = orders.reduce((total, { amount }) => total + amount, 0);
  return [
    element("NbOfTxs", String(orders.length)),
    element("CtrlSum", toDecimal(sum, countDecimals(currency))),
  ];
}

function toNames({ instrId, endToEndId }: PaymentOrder): Element {
  return element("PmtId", [element("InstrId", instrId), element("EndToEndId", endToEndId)]);
}

function toInstructed({ currency }: PaymentOrders, { amount }: PaymentOrder): Element {
  return element("InstdAmt", toDecimal(amount, countDecimals(currency)), { Ccy: currency });
}

/** SEPA takes half of what the schema has room for. What cannot be written is a dot. */
function toName(name: string, batch: Pick<Batch, "isSepa">): string {
  return toSepaText(name, batch.isSepa ? 70 : 140) || ".";
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

function element(
  name: string,
  inner: readonly Element[] | string,
  attributes: Element["attributes"] = {},
): Element {
  return typeof inner === "string"
    ? { name, attributes, children: [], line: 0, text: inner }
    : { name, attributes, children: inner, line: 0, text: "" };
}
