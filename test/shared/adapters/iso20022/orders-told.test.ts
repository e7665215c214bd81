import { describe, expect, it } from "vitest";
import type { BankRecord } from "../../../../shared/contract/bank.ts";
import {
  account,
  amountOf,
  detailsOf,
  entryOfAmount,
  notificationOf,
  recordsIn as read,
  returnOf,
} from "./camt.ts";

const tell = (record: BankRecord) =>
  "event" in record ? record.event : (record.ordered ?? { refused: record.reason });
const told = (text: string) => read(text).map(tell);

const messages = {
  "pain.002": ["CstmrPmtStsRpt", "urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"],
  "pacs.002": ["FIToFIPmtStsRpt", "urn:iso:std:iso:20022:tech:xsd:pacs.002.001.10"],
} as const;

const reportOf = (kind: keyof typeof messages, ...parts: string[]) =>
  `<Document xmlns="${messages[kind][1]}"><${messages[kind][0]}>
<GrpHdr><MsgId>S1</MsgId><CreDtTm>2026-11-30T12:00:00</CreDtTm></GrpHdr>
${parts.join("\n")}
</${messages[kind][0]}></Document>`;

const groupOf = (status?: string) =>
  `<OrgnlGrpInfAndSts><OrgnlMsgId>FILE1</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${
    status === undefined ? "" : `<GrpSts>${status}</GrpSts>`
  }</OrgnlGrpInfAndSts>`;

const reasonOf = (code: string) => `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>`;

const batchOf = (id: string, status: string | undefined, ...parts: string[]) =>
  `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${id}</OrgnlPmtInfId>${
    status === undefined ? "" : `<PmtInfSts>${status}</PmtInfSts>`
  }${parts.join("")}</OrgnlPmtInfAndSts>`;

const paymentOf = (name: string, status?: string, more = "") =>
  `<TxInfAndSts><OrgnlInstrId>I${name}</OrgnlInstrId><OrgnlEndToEndId>${name}</OrgnlEndToEndId>${
    status === undefined ? "" : `<TxSts>${status}</TxSts>`
  }${more}</TxInfAndSts>`;

const statusOf = (name: string, status: string, more: object = {}) => ({
  kind: "status",
  references: { message: "FILE1", endToEnd: name, instruction: `I${name}` },
  status,
  ...more,
});

describe("a status", () => {
  it("is that of the message that a payment was in, of several", () => {
    const other = groupOf("ACSC").replace("FILE1", "FILE0");
    const own = "<OrgnlGrpInf><OrgnlMsgId>FILE1</OrgnlMsgId></OrgnlGrpInf>";
    const payment = paymentOf("P1").replace("<OrgnlInstrId>", `${own}<OrgnlInstrId>`);
    const [first] = told(reportOf("pacs.002", other, groupOf("RJCT"), payment));
    expect(first).toMatchObject({ status: "rejected", references: { endToEnd: "P1" } });
  });

  it.each(["pain.002", "pacs.002"] as const)(
    "is that of each payment, with its reason and amount: %s",
    (kind) => {
      const original = kind === "pain.002" ? "<Amt><InstdAmt Ccy='EUR'>7.50</InstdAmt></Amt>" : "";
      const settled = kind === "pacs.002" ? "<IntrBkSttlmAmt Ccy='EUR'>7.50</IntrBkSttlmAmt>" : "";
      const more = `${reasonOf("AC04")}<OrgnlTxRef>${original}${settled}</OrgnlTxRef>`;
      const payments = paymentOf("P1", "RJCT", more) + paymentOf("P2", "ACSC");
      const body = kind === "pain.002" ? batchOf("FILE1-1", undefined, payments) : payments;
      expect(told(reportOf(kind, groupOf(), body))).toEqual([
        statusOf("P1", "rejected", { reasonCode: "AC04", amount: 750, currency: "EUR" }),
        statusOf("P2", "completed"),
      ]);
    },
  );

  it.each([
    ["accepted", ["RCVD", "ACTC", "ACCP", "ACSP", "ACWC", "PDNG"]],
    ["completed", ["ACSC", "ACCC"]],
    ["rejected", ["RJCT"]],
  ])("is %s by its code", (status, codes) => {
    const payments = codes.map((code) => paymentOf("P1", code));
    const each = told(reportOf("pacs.002", groupOf(), ...payments));
    expect(each).toEqual(codes.map(() => statusOf("P1", status)));
  });

  it("of a PmtInf is that of its payments without one, listed or not", () => {
    const payments = paymentOf("P1", "ACSC") + paymentOf("P2");
    const batch = batchOf("FILE1-1", "RJCT", reasonOf("FF01"), payments);
    expect(told(reportOf("pain.002", groupOf("PART"), batch))).toEqual([
      statusOf("P1", "completed", { reasonCode: "FF01" }),
      statusOf("P2", "rejected", { reasonCode: "FF01" }),
      {
        kind: "status",
        references: {},
        batch: "FILE1-1",
        except: ["P1", "P2"],
        status: "rejected",
        reasonCode: "FF01",
      },
    ]);
  });

  it("of the group is that of payments and PmtInfs without one", () => {
    const own = batchOf("FILE1-1", "ACSP", paymentOf("P1"));
    const none = batchOf("FILE1-2", undefined, paymentOf("P2", "ACSC"), paymentOf("P3"));
    expect(told(reportOf("pain.002", groupOf("RJCT"), own, none))).toEqual([
      statusOf("P1", "accepted"),
      { kind: "status", references: {}, batch: "FILE1-1", except: ["P1"], status: "accepted" },
      statusOf("P2", "completed"),
      statusOf("P3", "rejected"),
      {
        kind: "status",
        references: { message: "FILE1" },
        except: ["FILE1-1", "P2", "P3"],
        status: "rejected",
      },
    ]);
  });

  it("is that of the oldest version, whose whole has the message's name", () => {
    const old = (group: string, ...parts: string[]) =>
      reportOf("pain.002", groupOf(group), ...parts)
        .replaceAll("CstmrPmtStsRpt", "pain.002.001.02")
        .replace("001.10", "001.02")
        .replace("<Rsn>", "<StsRsn>")
        .replace("</Rsn>", "</StsRsn>");
    const own = paymentOf("P1", "ACCP");
    expect(told(old("RJCT", own))).toMatchObject([
      { status: "accepted" },
      { status: "rejected", except: ["P1"] },
    ]);
    const refused = paymentOf("P1", "RJCT", reasonOf("AC01"));
    expect(told(old("PART", refused))).toMatchObject([{ status: "rejected", reasonCode: "AC01" }]);
  });

  it("is only that its payee was verified", () => {
    expect(told(reportOf("pain.002", paymentOf("P1", "RCVC")))).toEqual([
      statusOf("P1", "accepted", { references: { endToEnd: "P1", instruction: "IP1" } }),
    ]);
    expect(told(reportOf("pain.002", paymentOf("P1", "RVNM")))).toMatchObject([
      { refused: expect.stringContaining("RVNM") },
    ]);
  });

  it("is refused where it has no code that is known, or names no payment", () => {
    const fillers = paymentOf("P1", "RJCT")
      .replace(">IP1<", ">NOTPROVIDED<")
      .replace(">P1<", ">NOTPROVIDED<");
    expect(told(reportOf("pacs.002", groupOf(), paymentOf("P1", "GONE"), paymentOf("P1"), fillers))).toEqual([
      { refused: 'TxSts is not allowed: "GONE".' },
      { refused: "TxSts is not allowed: null." },
      { refused: "It has neither OrgnlEndToEndId nor OrgnlInstrId." },
    ]);
    const unnamed = batchOf("FILE1-1", "RJCT").replace("FILE1-1", "NOTPROVIDED");
    expect(told(reportOf("pain.002", groupOf("PART"), unnamed))).toEqual([
      { refused: "OrgnlPmtInfId is missing." },
    ]);
  });

  it("is refused with its amount if it claims nothing, and moves nothing by itself", () => {
    const more = "<OrgnlTxRef><Amt><InstdAmt Ccy='EUR'>7.50</InstdAmt></Amt></OrgnlTxRef>";
    const [record] = read(reportOf("pacs.002", groupOf(), paymentOf("P1", "RJCT", more)));
    expect(record).toMatchObject({
      reason: "It is the status RJCT of no payment that was ordered: 7.50 EUR.",
    });
    expect(record).not.toHaveProperty("money");
    expect(record).not.toHaveProperty("entry");
  });
});

const namesOf = (endToEnd: string, instruction = "NOTPROVIDED") =>
  `<Refs><InstrId>${instruction}</InstrId><EndToEndId>${endToEnd}</EndToEndId></Refs>`;

const debit = (amount: string, ...parts: string[]) => entryOfAmount(amount, ...parts).replace("CRDT", "DBIT");

describe("an entry of what was ordered", () => {
  it("is a debit with its names, its account and its amount", () => {
    expect(told(notificationOf(account, debit("7.50", detailsOf(namesOf("P1", "I1")))))).toEqual([
      {
        kind: "debited",
        account,
        report: "camt.054",
        place: expect.objectContaining({ entry: 1 }),
        references: { endToEnd: "P1", instruction: "I1" },
        amount: 750,
        currency: "USD",
      },
    ]);
  });

  it("is refused for its amount, if that is none, also of several payments", () => {
    const details = detailsOf(amountOf("5.00"), amountOf("2.50"));
    const refused = { refused: 'Amt is not allowed: "7,50".' };
    expect(told(notificationOf(account, debit("7,50", details)))).toEqual([refused, refused]);
  });

  it("is a debit for each payment, if their amounts are told", () => {
    const details = detailsOf(namesOf("P1") + amountOf("3.00"), namesOf("P2") + amountOf("4.50"));
    const records = read(notificationOf(account, debit("7.50", details)));
    expect(records.map(tell)).toMatchObject([
      { references: { endToEnd: "P1" }, amount: 300 },
      { references: { endToEnd: "P2" }, amount: 450 },
    ]);
    expect(records.map(({ money }) => money?.amount)).toEqual([300, 450]);
    expect(records.map(({ entry }) => entry?.amount)).toEqual([750, undefined]);
  });

  it("is a batch where it is booked as one", () => {
    const batch = "<NtryDtls><Btch><PmtInfId>FILE1-1</PmtInfId><NbOfTxs>3</NbOfTxs></Btch></NtryDtls>";
    expect(told(notificationOf(account, debit("7.50", batch)))).toMatchObject([
      { kind: "debited", batch: "FILE1-1", amount: 750 },
    ]);
    expect(told(notificationOf(account, entryOfAmount("7.50", batch)))).toMatchObject([
      { kind: "deposited", batch: "FILE1-1", amount: 750, suspend: expect.any(String) },
    ]);
  });

  it("has no name that only fills the field", () => {
    const [only] = told(notificationOf(account, debit("7.50", detailsOf(namesOf("NOTPROVIDED")))));
    expect(only).toMatchObject({ kind: "debited", references: {} });
  });

  it("is a credit with the reason why it came back, each payment by itself", () => {
    const back = (name: string, amount: string) =>
      `${namesOf(name)}${amountOf(amount)}<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>`;
    const entry = entryOfAmount("7.50", detailsOf(back("P1", "3.00"), back("P2", "4.50")));
    const suspend = expect.stringContaining("RtrInf");
    expect(told(notificationOf(account, entry))).toMatchObject([
      { kind: "deposited", references: { endToEnd: "P1" }, amount: 300, reasonCode: "AC04", suspend },
      { kind: "deposited", references: { endToEnd: "P2" }, amount: 450, reasonCode: "AC04", suspend },
    ]);
  });

  it("is refused where a debit is taken back, unless it names an order", () => {
    const entry = (name: string) =>
      entryOfAmount("7.50", `<RvslInd>true</RvslInd>${detailsOf(namesOf(name))}`);
    const records = read(notificationOf(account, entry("NOTPROVIDED"), entry("P1")));
    expect(records).toMatchObject([
      { reason: expect.stringContaining("RvslInd") },
      {
        reason: expect.stringContaining("RvslInd"),
        ordered: { references: { endToEnd: "P1" }, amount: 750 },
      },
    ]);
  });
});

it("reads the reason of a return", () => {
  const back =
    "<RtrId>R1</RtrId><OrgnlEndToEndId>P1</OrgnlEndToEndId><RtrdIntrBkSttlmAmt Ccy='EUR'>7.50</RtrdIntrBkSttlmAmt>" +
    "<RtrRsnInf><Rsn><Cd>AC01</Cd></Rsn></RtrRsnInf>";
  expect(told(returnOf(back))).toMatchObject([
    { kind: "returned", references: { endToEnd: "P1" }, amount: 750, currency: "EUR", reasonCode: "AC01" },
  ]);
});
