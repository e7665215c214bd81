import { describe, expect, it } from "vitest";
import { iso20022 } from "../../../../shared/adapters/iso20022/iso20022.ts";
import { decimalsOf, toHundredths, toMinorUnits } from "../../../../shared/adapters/minor-units.ts";
import {
  amountOf,
  collectedOn,
  detailsOf,
  entryOf,
  notificationOf,
  refsOf,
  returnOf,
  textOf,
} from "./camt.ts";

const account = "DE89370400440532013000";
const read = (text: string) => iso20022.readFile(Buffer.from(text));
const eventsIn = (text: string) => {
  const found = read(text);
  if ("reason" in found) throw new Error(found.reason);
  return found.map((one) => ("event" in one ? one.event : one.reason));
};
const refusalOf = (text: string | Uint8Array) => {
  const found = iso20022.readFile(typeof text === "string" ? Buffer.from(text) : text);
  return "reason" in found ? found : "was read";
};

describe("a credit notification", () => {
  it("is a deposit for each transaction, with structured references first", () => {
    const strd = `<RmtInf><Ustrd>second</Ustrd><Strd><CdtrRefInf><Ref>first</Ref></CdtrRefInf></Strd></RmtInf>`;
    const text = notificationOf(
      account,
      entryOf("<AcctSvcrRef>E1</AcctSvcrRef>", detailsOf(refsOf("T1", "P1") + amountOf("10") + strd)),
      entryOf("<AcctSvcrRef>E2</AcctSvcrRef>", detailsOf(textOf("one", "two &amp; <![CDATA[<three>]]>"))),
    );
    const common = { kind: "deposited", account, currency: "USD" };
    expect(eventsIn(text)).toEqual([
      { ...common, bankReference: "T1", endToEndId: "P1", amount: 1000, remittance: ["first", "second"] },
      { ...common, bankReference: "E2", amount: 1250, remittance: ["one", "two & <three>"] },
    ]);
  });

  it.each(["CRDT", "DBIT"])("rejects the reversal of a booking (%s)", (indicator) => {
    const part = `<RvslInd>true</RvslInd>${detailsOf(refsOf("T1"))}`;
    const entry = entryOf(part).replace("CRDT", indicator);
    expect(eventsIn(notificationOf(account, entry))).toEqual([expect.stringContaining("RvslInd")]);
  });

  it("tells transactions apart that only their entry identifies", () => {
    const details = detailsOf(amountOf("1.00"), amountOf("2.00"));
    const events = eventsIn(notificationOf(account, entryOf("<AcctSvcrRef>E1</AcctSvcrRef>", details)));
    expect(events).toMatchObject([
      { bankReference: "E1#1", dividedReference: "E1", amount: 100 },
      { bankReference: "E1#2", dividedReference: "E1", amount: 200 },
    ]);
  });

  it("distinguishes transactions of an entry that have the same reference", () => {
    const parts = ["T1", "T2", "T1"].map((one) => refsOf(one) + amountOf("1.00"));
    const events = eventsIn(notificationOf(account, entryOf(detailsOf(...parts))));
    expect(events.map((one) => typeof one !== "string" && one.bankReference)).toEqual(["T1#1", "T2", "T1#3"]);
    expect(events[1]).not.toHaveProperty("dividedReference");
  });

  it("is the deposit of an entry without transactions", () => {
    const events = eventsIn(notificationOf(account, entryOf("<AcctSvcrRef>E1</AcctSvcrRef>")));
    expect(events).toMatchObject([{ bankReference: "E1", amount: 1250, remittance: [] }]);
  });

  it("leaves out debits, and what is not booked", () => {
    const parts = "<AcctSvcrRef>E1</AcctSvcrRef>";
    const debit = entryOf(parts).replace("CRDT", "DBIT");
    const pending = entryOf(parts).replace("BOOK", "PDNG");
    const mixed = entryOf(parts, detailsOf("<CdtDbtInd>DBIT</CdtDbtInd>"));
    expect(eventsIn(notificationOf(account, debit, pending, mixed))).toEqual([]);
  });

  it.each([
    ["no reference", entryOf(), "AcctSvcrRef is missing."],
    ["no amount of one of several", entryOf(detailsOf(refsOf("1"), refsOf("2"))), "Amt is missing"],
    [
      "an amount with too many decimals",
      entryOf(detailsOf(refsOf("1") + amountOf("1.005"))),
      'Amt is not allowed: "1.005".',
    ],
    ["nothing", entryOf(detailsOf(refsOf("1") + amountOf("0.00"))), 'Amt is not allowed: "0.00".'],
  ])("rejects the record alone that has %s", (_, entry, reason) => {
    const good = entryOf("<AcctSvcrRef>good</AcctSvcrRef>");
    const records = eventsIn(notificationOf(account, entry, good));
    expect(records.at(-1)).toMatchObject({ bankReference: "good" });
    expect(records[0]).toContain(reason);
  });

  it("rejects records whose account is missing", () => {
    const text = notificationOf(account, entryOf("<AcctSvcrRef>E1</AcctSvcrRef>"));
    expect(eventsIn(text.replace(/<Acct>.*<\/Acct>/, ""))).toEqual(["Acct/Id/IBAN is missing."]);
  });

  it("reads prefixes, and leaves out elements of other namespaces", () => {
    const other = `<x:Ntry xmlns:x="urn:other"><AcctSvcrRef>not</AcctSvcrRef></x:Ntry>`;
    const text = notificationOf(account, entryOf("<AcctSvcrRef>E1</AcctSvcrRef>", other))
      .replace('<Document xmlns="', '<Document xmlns:a="')
      .replaceAll(/<(\/?)(?!x:|\?)(\w)/g, "<$1a:$2");
    expect(eventsIn(text)).toMatchObject([{ bankReference: "E1" }]);
  });
});

describe("a payment return", () => {
  it("names deposits by the bank's reference, the payer's, and the account", () => {
    const amount = `<RtrdIntrBkSttlmAmt Ccy="USD">12.50</RtrdIntrBkSttlmAmt>`;
    const text = returnOf(
      `<OrgnlTxId>E1</OrgnlTxId>${amount}${collectedOn(account)}`,
      "<OrgnlEndToEndId>P1</OrgnlEndToEndId>",
      "<RtrId>1</RtrId>",
    );
    expect(eventsIn(text)).toEqual([
      { kind: "returned", bankReference: "E1", account, amount: 1250, currency: "USD" },
      { kind: "returned", endToEndId: "P1" },
      "It has neither OrgnlTxId nor OrgnlEndToEndId.",
    ]);
  });
});

describe("a file that is refused whole", () => {
  const good = notificationOf(account, entryOf("<AcctSvcrRef>E1</AcctSvcrRef>"));
  const entity = `<!DOCTYPE Document [<!ENTITY a "b">]>`;
  it.each([
    ["an unclosed element", good.replace("</Document>", ""), "unclosed tag: Document (line 6"],
    ["nothing", "", "document must contain a root element"],
    ["a document type", good.replace("<Document", `${entity}<Document`), "document type declaration"],
    ["an entity", good.replace("M1", "&a;"), "undefined entity"],
    ["an unknown prefix", good.replace("<GrpHdr>", "<x:GrpHdr>"), "unbound namespace prefix"],
    ["another version", good.replace("001.08", "001.02"), "camt.054.001.02"],
    ["another encoding", good.replace("UTF-8", "ISO-8859-1"), "it must be UTF-8"],
    ["elements that nest too deep", good.replace("M1", "<a>".repeat(50)), "more than 40 deep"],
    ["another root", good.replaceAll("Document", "Other"), "root element is not Document"],
    ["no XML", "HDR0001", "text data outside of root"],
  ])("has %s", (_, text, reason) => {
    expect(refusalOf(text)).toMatchObject({ reason: expect.stringContaining(reason) });
  });

  it("is not UTF-8", () => {
    const bytes = Buffer.concat([Buffer.from(good.slice(0, -20)), Buffer.from([0xff]), Buffer.from(">")]);
    expect(refusalOf(bytes)).toMatchObject({ reason: "It is not UTF-8." });
  });

  it("says at which record", () => {
    expect(refusalOf(good.replace("</Ntry>", "</Ntry><Ntry>"))).toMatchObject({ record: 2 });
  });

  it("is larger than 32 MB", () => {
    expect(refusalOf(new Uint8Array(33 * 1024 * 1024))).toMatchObject({
      reason: expect.stringContaining("larger"),
    });
  });
});

describe("a message", () => {
  const announced = {
    type: "deposit.announced",
    eventId: "1",
    bankReference: "E1",
    reference: "text",
    amount: 1250,
    currency: "USD",
  };
  it("announces or returns a deposit", () => {
    expect(iso20022.readMessage(JSON.stringify(announced))).toEqual({
      eventId: "1",
      event: {
        kind: "deposited",
        bankReference: "E1",
        remittance: ["text"],
        amount: 1250,
        currency: "USD",
      },
    });
    const returned = { type: "deposit.returned", eventId: "2", bankReference: "E1" };
    expect(iso20022.readMessage(JSON.stringify(returned))).toEqual({
      eventId: "2",
      event: { kind: "returned", bankReference: "E1" },
    });
  });

  it.each([
    ["{", "body"],
    [JSON.stringify({ ...announced, type: "other" }), "type"],
    [JSON.stringify({ ...announced, amount: 12.5 }), "amount"],
    [JSON.stringify({ ...announced, currency: "usd" }), "currency"],
    [JSON.stringify({ ...announced, bankReference: undefined }), "bankReference"],
  ])("cannot be read: %s", (body, field) => {
    expect(iso20022.readMessage(body)).toEqual({ reason: expect.stringContaining(field) });
  });
});

describe("amounts", () => {
  it.each([
    ["12.3", "USD", 1230],
    ["12", "USD", 1200],
    ["12.", "EUR", 1200],
    ["0.07", "GBP", 7],
    ["12.300", "USD", 1230],
    ["12.301", "USD", undefined],
    ["12", "JPY", 12],
    ["12.5", "JPY", undefined],
    ["1.234", "KWD", 1234],
    ["90071992547409.91", "USD", 9007199254740991],
    ["90071992547409.92", "USD", undefined],
    ["0", "USD", undefined],
    ["-1", "USD", undefined],
    ["1e3", "USD", undefined],
    [" 1", "USD", undefined],
  ])("%s %s is %s minor units", (decimal, currency, minor) => {
    expect(toMinorUnits(decimal, currency)).toBe(minor);
  });

  it("are in hundredths for what the merchant billed", () => {
    expect([toHundredths(1000, "392"), toHundredths(1234, "414"), toHundredths(999, "978")]).toEqual([
      100_000, 123, 999,
    ]);
    expect([decimalsOf("990"), decimalsOf("840")]).toEqual([4, 2]);
  });
});
