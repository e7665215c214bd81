import { describe, expect, it } from "vitest";
import { type Element, findAll, readXml } from "../../../../shared/adapters/iso20022/read-xml.ts";
import { OrderBatches, orderText } from "../../../../shared/adapters/iso20022/write-orders.ts";
import type { PaymentOrder, PaymentOrders } from "../../../../shared/contract/bank.ts";

const iban = "DE89370400440532013000";
const payee = { iban: "NL91ABNA0417164300" };

const orderOf = (number: number, more: Partial<PaymentOrder> = {}): PaymentOrder => ({
  endToEndId: `PAY0${number}`,
  instrId: `0${number}`,
  amount: number * 100 + 1,
  date: "2026-11-30",
  name: "Maria Ionescu",
  account: payee,
  ...more,
});

interface Whole extends PaymentOrders {
  readonly orders: readonly PaymentOrder[];
}

const fileOf = (orders: readonly PaymentOrder[], more: Partial<PaymentOrders> = {}): Whole => ({
  kind: "pain.001",
  messageId: "01KB7Z0000000000000000MSG1",
  createdAt: "2026-11-29T02:00:00Z",
  name: "Programme & Sons",
  account: { iban },
  currency: "EUR",
  count: orders.length,
  sum: orders.reduce((total, { amount }) => total + amount, 0),
  orders,
  ...more,
});

const countryOf = ({ account }: PaymentOrder) => ("iban" in account ? account.iban.slice(0, 2) : "US");

/** Each order's batch, and the batches. */
function group(file: Whole) {
  const batches = new OrderBatches(file);
  const keys = file.orders.map((order) => batches.add({ ...order, country: countryOf(order) }));
  return { keys, batches: batches.list() };
}

function toBatches(file: Whole): string[] {
  const { keys, batches } = group(file);
  return keys.map((key) => batches.find((batch) => batch.key === key)?.id ?? "");
}

function writeOrders(file: Whole): string {
  const { keys, batches } = group(file);
  const texts = batches.map((batch) => [
    orderText.beginBatch(file, batch),
    ...file.orders
      .filter((_, index) => keys[index] === batch.key)
      .map((order) => orderText.order(file, batch, order)),
    orderText.endBatch(),
  ]);
  return [orderText.begin(file), ...texts.flat(), orderText.end(file)].join("");
}

const mandate = { reference: "MANDATE-1", signedOn: "2026-10-01", sequence: "first" } as const;

/** Each element with those in it, in order: `A(B(text) C(text))`. */
const show = ({ name, attributes, children, text }: Element): string => {
  const { xmlns: _, ...others } = attributes;
  const given = Object.entries(others).map(([key, value]) => `@${key}=${value}`);
  const inner = children.length > 0 ? children.map(show).join(" ") : text.trim();
  return `${name}${given.join("")}(${inner})`;
};

function read(xml: string): Element {
  const found: Element[] = [];
  readXml(Buffer.from(xml), new Set(["Document"]), (element) => found.push(element));
  const [document] = found;
  if (!document) throw new Error("There is no Document.");
  return document;
}

const find = (xml: string, path: string) =>
  findAll(read(xml), ...path.split("/")).map((element) => show(element));

const transfer = "CstmrCdtTrfInitn/PmtInf/CdtTrfTxInf";

describe("credit transfers", () => {
  it("have the elements of pain.001.001.09 in the schema's order", () => {
    const xml = writeOrders(fileOf([orderOf(1, { reference: "Invoice 7" })]));
    expect(xml).toContain('xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"');
    expect(show(read(xml))).toBe(
      "Document(CstmrCdtTrfInitn(" +
        "GrpHdr(MsgId(01KB7Z0000000000000000MSG1) CreDtTm(2026-11-29T02:00:00Z) NbOfTxs(1) CtrlSum(1.01) " +
        "InitgPty(Nm(Programme + Sons))) " +
        "PmtInf(PmtInfId(01KB7Z0000000000000000MSG1-1) PmtMtd(TRF) BtchBookg(false) NbOfTxs(1) CtrlSum(1.01) " +
        "PmtTpInf(SvcLvl(Cd(SEPA))) ReqdExctnDt(Dt(2026-11-30)) Dbtr(Nm(Programme + Sons)) " +
        `DbtrAcct(Id(IBAN(${iban}))) DbtrAgt(FinInstnId(Othr(Id(NOTPROVIDED)))) ChrgBr(SLEV) ` +
        "CdtTrfTxInf(PmtId(InstrId(01) EndToEndId(PAY01)) Amt(InstdAmt@Ccy=EUR(1.01)) Cdtr(Nm(Maria Ionescu)) " +
        "CdtrAcct(Id(IBAN(NL91ABNA0417164300))) RmtInf(Ustrd(Invoice 7))))))",
    );
  });

  it("name the bank of an account without an IBAN by its routing number", () => {
    const account = { routingNumber: "021000021", accountNumber: "000123", accountType: "savings" } as const;
    const own = { routingNumber: "CITIUS33", accountNumber: "77" };
    const xml = writeOrders(fileOf([orderOf(1, { account })], { currency: "USD", account: own }));
    expect(find(xml, `${transfer}/CdtrAgt`)).toEqual([
      "CdtrAgt(FinInstnId(ClrSysMmbId(ClrSysId(Cd(USABA)) MmbId(021000021))))",
    ]);
    expect(find(xml, `${transfer}/CdtrAcct`)).toEqual(["CdtrAcct(Id(Othr(Id(000123))) Tp(Cd(SVGS)))"]);
    expect(find(xml, "CstmrCdtTrfInitn/PmtInf/DbtrAgt")).toEqual([
      "DbtrAgt(FinInstnId(ClrSysMmbId(MmbId(CITIUS33))))",
    ]);
    expect(find(xml, "CstmrCdtTrfInitn/PmtInf/PmtTpInf/SvcLvl/Cd")).toEqual(["Cd(NURG)"]);
    expect(find(xml, "CstmrCdtTrfInitn/PmtInf/ChrgBr")).toEqual(["ChrgBr(SHAR)"]);
  });

  it("are none of SEPA where the euros leave it, in a PmtInf of their own", () => {
    const turkish = { iban: "TR330006100519786457841326" };
    const xml = writeOrders(fileOf([orderOf(1), orderOf(2, { account: turkish })]));
    const found = (path: string) => find(xml, `CstmrCdtTrfInitn/PmtInf/${path}`);
    expect(found("PmtTpInf/SvcLvl/Cd")).toEqual(["Cd(NURG)", "Cd(SEPA)"]);
    expect(found("ChrgBr")).toEqual(["ChrgBr(SHAR)", "ChrgBr(SLEV)"]);
    expect(found("CdtTrfTxInf/PmtId/EndToEndId")).toEqual(["EndToEndId(PAY02)", "EndToEndId(PAY01)"]);
  });

  it("are one PmtInf for each date, whose numbers and sums add up to the file's", () => {
    const orders = [orderOf(1), orderOf(2, { date: "2026-12-01" }), orderOf(3)];
    const xml = writeOrders(fileOf(orders));
    const in_ = (path: string) => find(xml, `CstmrCdtTrfInitn/${path}`);
    expect(in_("PmtInf/ReqdExctnDt/Dt")).toEqual(["Dt(2026-11-30)", "Dt(2026-12-01)"]);
    expect(in_("PmtInf/NbOfTxs")).toEqual(["NbOfTxs(2)", "NbOfTxs(1)"]);
    expect(in_("PmtInf/CtrlSum")).toEqual(["CtrlSum(4.02)", "CtrlSum(2.01)"]);
    expect([...in_("GrpHdr/NbOfTxs"), ...in_("GrpHdr/CtrlSum")]).toEqual(["NbOfTxs(3)", "CtrlSum(6.03)"]);
    expect(toBatches(fileOf(orders)).map((id) => id.slice(-2))).toEqual(["-1", "-2", "-1"]);
  });

  it("give a creditor reference as one, however it is spaced, and any other text as text", () => {
    const references = [
      "RF18 5390 0754 7034",
      "rf18539007547034",
      "RF19539007547034",
      "Invoice 7",
      "",
      undefined,
    ];
    const xml = writeOrders(fileOf(references.map((reference, index) => orderOf(index, { reference }))));
    const structured = "RmtInf(Strd(CdtrRefInf(Tp(CdOrPrtry(Cd(SCOR))) Ref(RF18539007547034))))";
    expect(find(xml, `${transfer}/RmtInf`)).toEqual([
      ...[structured, structured, "RmtInf(Ustrd(RF19539007547034))", "RmtInf(Ustrd(Invoice 7))"],
    ]);
  });

  it("write an amount with the decimals of its currency", () => {
    const sums = (currency: string) =>
      find(writeOrders(fileOf([orderOf(1)], { currency })), `${transfer}/Amt/InstdAmt`);
    expect([...sums("JPY"), ...sums("BHD")]).toEqual(["InstdAmt@Ccy=JPY(101)", "InstdAmt@Ccy=BHD(0.101)"]);
  });

  it("are the same bytes again", () => {
    const orders = [orderOf(2, { date: "2026-12-01" }), orderOf(1)];
    expect(writeOrders(fileOf(orders))).toBe(writeOrders(structuredClone(fileOf(orders))));
  });
});

describe("direct debits", () => {
  const debits = "CstmrDrctDbtInitn/PmtInf";

  it("have the elements of pain.008.001.08 in the schema's order", () => {
    const orders = [orderOf(1, { mandate, reference: "Order 3" })];
    const xml = writeOrders(fileOf(orders, { kind: "pain.008", creditorId: "DE98ZZZ09999999999" }));
    expect(xml).toContain('xmlns="urn:iso:std:iso:20022:tech:xsd:pain.008.001.08"');
    expect(find(xml, debits)).toEqual([
      "PmtInf(PmtInfId(01KB7Z0000000000000000MSG1-1) PmtMtd(DD) BtchBookg(false) NbOfTxs(1) CtrlSum(1.01) " +
        "PmtTpInf(SvcLvl(Cd(SEPA)) LclInstrm(Cd(CORE)) SeqTp(FRST)) ReqdColltnDt(2026-11-30) " +
        `Cdtr(Nm(Programme + Sons)) CdtrAcct(Id(IBAN(${iban}))) CdtrAgt(FinInstnId(Othr(Id(NOTPROVIDED)))) ` +
        "ChrgBr(SLEV) CdtrSchmeId(Id(PrvtId(Othr(Id(DE98ZZZ09999999999) SchmeNm(Prtry(SEPA)))))) " +
        "DrctDbtTxInf(PmtId(InstrId(01) EndToEndId(PAY01)) InstdAmt@Ccy=EUR(1.01) " +
        "DrctDbtTx(MndtRltdInf(MndtId(MANDATE-1) DtOfSgntr(2026-10-01))) " +
        "DbtrAgt(FinInstnId(Othr(Id(NOTPROVIDED)))) Dbtr(Nm(Maria Ionescu)) " +
        "DbtrAcct(Id(IBAN(NL91ABNA0417164300))) RmtInf(Ustrd(Order 3))))",
    ]);
  });

  it("are one PmtInf for each date and sequence", () => {
    const recurring = { ...mandate, sequence: "recurring" } as const;
    const orders = [orderOf(1, { mandate }), orderOf(2, { mandate: recurring }), orderOf(3, { mandate })];
    const xml = writeOrders(fileOf(orders, { kind: "pain.008" }));
    expect(find(xml, `${debits}/PmtTpInf/SeqTp`)).toEqual(["SeqTp(FRST)", "SeqTp(RCUR)"]);
    expect(find(xml, `${debits}/NbOfTxs`)).toEqual(["NbOfTxs(2)", "NbOfTxs(1)"]);
    expect(find(xml, `${debits}/CdtrSchmeId`)).toEqual([]);
  });

  it.each([
    ["/M//1/", "M/1"],
    ["//", "."],
    ["ь", "."],
    ["Müller 7", "Mueller 7"],
  ])("name the mandate %s as an identifier of SEPA", (reference, written) => {
    const orders = [orderOf(1, { mandate: { ...mandate, reference } })];
    expect(writeOrders(fileOf(orders, { kind: "pain.008" }))).toContain(`<MndtId>${written}</MndtId>`);
  });

  it("are never written without a mandate", () => {
    expect(() => writeOrders(fileOf([orderOf(1)], { kind: "pain.008" }))).toThrow("PAY01");
  });
});

describe("a text that comes from outside", () => {
  const nameOf = (name: string) => {
    const [found = ""] = find(writeOrders(fileOf([orderOf(1, { name })])), `${transfer}/Cdtr/Nm`);
    return found.slice("Nm(".length, -1);
  };

  it.each([
    ["</Nm><Nm>Eve & Co", "(/Nm)(Nm)Eve + Co"],
    ["]]>&amp;<!--", ")))+amp,(.--"],
    ["a\u0000b\u0008c\uFFFEd\uD800e", "a b c d e"],
    ["line\r\n\tbreak\u2028here", "line break here"],
    ["Łukasz Żółć", "Lukasz Zolc"],
    ["Müller Straße ÄÖ", "Mueller Strasse AeOe"],
    ["O’Connor “Tim”", "O'Connor 'Tim'"],
    ["Ελένη Παπαδοπούλου", "Eleni Papadopoyloy"],
    ["Юлия Щербакова", "Yuliya Shterbakova"],
    ["ﬁnance ½ ①", "finance 1.2 1"],
    ["张三", ".."],
    ["", "."],
    ["\u0000", "."],
  ])("is written in the characters that banks carry: %j", (name, written) => {
    expect(nameOf(name)).toBe(written);
  });

  it("is cut where SEPA has no room for it, and never in the middle of a letter", () => {
    expect(nameOf("ß".repeat(100))).toBe("s".repeat(70));
    const [text] = find(
      writeOrders(fileOf([orderOf(1, { reference: "é".repeat(500) })])),
      `${transfer}/RmtInf/Ustrd`,
    );
    expect(text).toBe(`Ustrd(${"e".repeat(140)})`);
  });

  it("is of these characters, whatever it was", () => {
    for (let code = 0; code < 0x3_000; code += 1)
      expect(nameOf(`x${String.fromCodePoint(code)}x`), code.toString(16)).toMatch(
        /^[A-Za-z0-9/\-?:().,'+ ]+$/,
      );
  });
});

it("writes ten thousand payments, each once", () => {
  const orders = Array.from({ length: 10_000 }, (_, index) => orderOf(index + 1));
  const xml = writeOrders(fileOf(orders));
  const names = find(xml, `${transfer}/PmtId/EndToEndId`);
  expect(new Set(names).size).toBe(10_000);
  const sum = orders.reduce((total, { amount }) => total + amount, 0);
  expect(find(xml, "CstmrCdtTrfInitn/GrpHdr/CtrlSum")).toEqual([`CtrlSum(${(sum / 100).toFixed(2)})`]);
});
