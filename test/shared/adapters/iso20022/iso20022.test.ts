import { describe, expect, it } from "vitest";
import { iso20022 } from "../../../../shared/adapters/iso20022/iso20022.ts";
import {
  account,
  amountOf,
  collectedOn,
  detailsOf,
  entryOf,
  entryOfAmount,
  notificationOf,
  recordsIn,
  refsOf,
  returnOf,
  textOf,
} from "./camt.ts";

const eventsIn = (text: string) => recordsIn(text).map((one) => ("event" in one ? one.event : one.reason));
/** A credit with its own reference. */
const named = (reference: string, ...parts: string[]) =>
  entryOf(`<AcctSvcrRef>${reference}</AcctSvcrRef>`, ...parts);

describe("a credit notification", () => {
  it("is a deposit for each transaction, with structured references first", () => {
    const strd = `<RmtInf><Ustrd>second</Ustrd><Strd><CdtrRefInf><Ref>first</Ref></CdtrRefInf></Strd></RmtInf>`;
    const text = notificationOf(
      account,
      named("E1", detailsOf(refsOf("T1", "P1") + amountOf("10") + strd)),
      named("E2", detailsOf(textOf("one", "two &amp; <![CDATA[<three>]]>"))),
    );
    const common = { kind: "deposited", account, currency: "USD" };
    expect(eventsIn(text)).toMatchObject([
      {
        ...common,
        references: { accountServicer: "T1", endToEnd: "P1" },
        place: { statement: "N1", entry: 1 },
        amount: 1000,
        creditorReferences: ["first"],
        remittance: ["first", "second", "P1"],
      },
      {
        ...common,
        references: { accountServicer: "E2" },
        amount: 1250,
        remittance: ["one", "two & <three>"],
      },
    ]);
  });

  it("is a return where the bank reverses a credit, and refused where it reverses a debit", () => {
    const entry = entryOf(`<RvslInd>true</RvslInd>${detailsOf(refsOf("T1", "P1"))}`);
    expect(eventsIn(notificationOf(account, entry.replace("CRDT", "DBIT"), entry))).toMatchObject([
      { kind: "returned", account, amount: 1250, references: { accountServicer: "T1", endToEnd: "P1" } },
      expect.stringContaining("RvslInd"),
    ]);
  });

  it("is a return for each detail of a debit that gives payments back", () => {
    const back = (reference: string, amount: string) =>
      `${refsOf(reference) + amountOf(amount)}<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>`;
    const entry = entryOf(detailsOf(back("T1", "2.00"), back("T2", "3.00"))).replace("CRDT", "DBIT");
    expect(eventsIn(notificationOf(account, entry))).toMatchObject([
      { kind: "returned", amount: 200, returnId: "T1" },
      { kind: "returned", amount: 300, returnId: "T2" },
    ]);
    expect(eventsIn(notificationOf(account, entry.replace("3.00", "4.00")))).toEqual([
      "The amounts of its details do not add up to it.",
    ]);
  });

  it("waits for the operator where a payment from the account comes back", () => {
    const entry = entryOf(detailsOf(`${refsOf("T1")}<RtrInf></RtrInf>${textOf("any")}`));
    expect(eventsIn(notificationOf(account, entry))).toMatchObject([
      { amount: 1250, suspend: expect.stringContaining("RtrInf") },
    ]);
  });

  it("tells transactions apart that only their entry identifies", () => {
    const details = detailsOf(amountOf("1.00"), amountOf("2.00"));
    const events = eventsIn(notificationOf(account, named("E1", details)));
    expect(events).toMatchObject([
      { references: { accountServicer: "E1" }, place: { entry: 1, detail: 1 }, amount: 100 },
      { references: { accountServicer: "E1" }, place: { entry: 1, detail: 2 }, amount: 200 },
    ]);
  });

  it("says the reference of the entry where its transactions have their own", () => {
    const parts = ["T1", "T2"].map((one) => refsOf(one) + amountOf("1.00"));
    const entry = named("E1", detailsOf(...parts));
    expect(eventsIn(notificationOf(account, entry))).toMatchObject([
      { references: { accountServicer: "T1", entry: "E1" }, report: "camt.054" },
      { references: { accountServicer: "T2", entry: "E1" } },
    ]);
  });

  it("is the deposit of an entry without transactions", () => {
    const events = eventsIn(notificationOf(account, named("E1")));
    expect(events).toMatchObject([{ references: { accountServicer: "E1" }, amount: 1250, remittance: [] }]);
  });

  it("leaves out what is not booked, however its status is written", () => {
    const withEach = (...statuses: string[]) =>
      notificationOf(account, ...statuses.map((one) => named("E1").replace("<Cd>BOOK</Cd>", one)));
    expect(eventsIn(withEach("<Cd>PDNG</Cd>", "INFO", "<Cd>FUTR</Cd>"))).toEqual([]);
    const booked = { amount: 1250 };
    expect(eventsIn(withEach("BOOK", "<Prtry>BOOK</Prtry>"))).toMatchObject([booked, booked]);
  });

  it("is refused with its amount where it is a debit, unless it is of an order", () => {
    const debit = named("E1").replace("CRDT", "DBIT");
    expect(eventsIn(notificationOf(account, debit))).toEqual([
      "It is a debit of no payment that was ordered: 12.50 USD.",
    ]);
  });

  it("credits nothing from a debit, whatever its details say", () => {
    const entry = entryOf(detailsOf("<CdtDbtInd>CRDT</CdtDbtInd>")).replace("CRDT", "DBIT");
    expect(eventsIn(notificationOf(account, entry))).toEqual([expect.stringContaining("CdtDbtInd")]);
  });

  it("has no references that only fill their fields", () => {
    const fillers = "NONREF|Not Provided|n/a|0000|-|XXXX|unknown|.|Keine Angabe|REF".split("|");
    const entries = fillers.map((filler) => named(filler, detailsOf(refsOf(filler, filler))));
    const events = eventsIn(notificationOf(account, ...entries));
    for (const event of events) expect(event).toMatchObject({ references: {}, remittance: [] });
    expect(events).toHaveLength(fillers.length);
  });

  it("has all references, and the text of each place", () => {
    const refs = `<Refs><MsgId>M</MsgId><AcctSvcrRef>A</AcctSvcrRef><InstrId>I</InstrId><EndToEndId>E</EndToEndId>
      <UETR>U</UETR><TxId>T</TxId><ClrSysRef>C</ClrSysRef></Refs>`;
    const texts = `<RmtInf><Ustrd>one</Ustrd><Strd><RfrdDocInf><Nb>three</Nb></RfrdDocInf><CdtrRefInf><Ref>first</Ref>
      </CdtrRefInf><AddtlRmtInf>two</AddtlRmtInf></Strd></RmtInf><AddtlTxInf>four</AddtlTxInf>`;
    const entry = entryOf(detailsOf(refs + texts), "<AddtlNtryInf>five</AddtlNtryInf>");
    const [event] = eventsIn(notificationOf(account, entry));
    expect(event).toMatchObject({
      references: { message: "M", accountServicer: "A", instruction: "I", endToEnd: "E", uetr: "U" },
      remittance: ["first", "one", "two", "three", "four", "five", "E", "I"],
    });
    expect(event).toMatchObject({ references: { transaction: "T", clearing: "C" } });
  });

  it("does not take a text of several payments for one of each", () => {
    const entry = entryOf(detailsOf(amountOf("1.00"), amountOf("2.00")), "<AddtlNtryInf>all</AddtlNtryInf>");
    const events = eventsIn(notificationOf(account, entry));
    expect(events).toMatchObject([{ remittance: [] }, { remittance: [] }]);
  });

  it("has the same content wherever and however it stands, and another for any difference", () => {
    const part = detailsOf(refsOf("T1") + textOf("Order 7"));
    const contentOf = (text: string) =>
      eventsIn(text).map((event) => typeof event !== "string" && event.content)[0];
    const first = contentOf(notificationOf(account, entryOf(part)));
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    const moved = notificationOf(account, `<Ntry>\n<NtryRef>2</NtryRef>${entryOf(part).slice(6)}`);
    expect(contentOf(moved.replace("Order 7", "\n Order  7 "))).toBe(first);
    expect(contentOf(moved.replace("Order 7", "Order 8"))).not.toBe(first);
    expect(contentOf(moved.replace("<RmtInf>", "<AddtlTxInf>x</AddtlTxInf><RmtInf>"))).not.toBe(first);
  });

  it("masks card numbers before they are part of anything", () => {
    const number = "4111111111111111";
    const entry = entryOf(
      detailsOf(refsOf("T1", number) + textOf(`pay ${number}`, "4111 1111", "1111 1111")),
    );
    const [event] = eventsIn(notificationOf(account, entry));
    expect(JSON.stringify(event)).not.toMatch(/4111.?1111.?1111|1111", "1111/);
  });

  it.each([
    ["an amount with too many decimals", entryOfAmount("1.005"), 'Amt is not allowed: "1.005".'],
    ["a comma", entryOfAmount("5,00"), 'Amt is not allowed: "5,00".'],
    ["less than nothing", entryOfAmount("-5.00"), 'Amt is not allowed: "-5.00".'],
    ["nothing", entryOfAmount("0.00"), 'Amt is not allowed: "0.00".'],
    ["no direction", entryOf().replace("CRDT", ""), "CdtDbtInd is not allowed: null."],
    ["no status", entryOf().replace("BOOK", ""), "Sts is not allowed: null."],
  ])("rejects the record alone that has %s", (_, entry, reason) => {
    const good = named("good");
    const records = eventsIn(notificationOf(account, entry, good));
    expect(records.at(-1)).toMatchObject({ references: { accountServicer: "good" } });
    expect(records[0]).toContain(reason);
  });

  it("rejects records whose account is missing", () => {
    const text = notificationOf(account, named("E1"));
    expect(eventsIn(text.replace(/<Acct>.*<\/Acct>/, ""))).toEqual([
      expect.stringMatching(/^Acct\/Id .* is missing\.$/),
    ]);
  });

  it("names an account without IBAN by its routing number", () => {
    const read = (inside: string) =>
      eventsIn(notificationOf(account, entryOf()).replace(/<Acct>.*<\/Acct>/, `<Acct>${inside}</Acct>`));
    const id = "<Id><Othr><Id>000123-456789</Id></Othr></Id>";
    const bank = (inside: string) => `<Svcr><FinInstnId>${inside}</FinInstnId></Svcr>`;
    const member = bank("<BICFI>CHASUS33</BICFI><ClrSysMmbId><MmbId>021000021</MmbId></ClrSysMmbId>");
    expect(read(id + member)).toMatchObject([{ account: "021000021/123456789" }]);
    expect(read(id + bank("<BIC>CHASUS33</BIC>"))).toMatchObject([{ account: "CHASUS33/123456789" }]);
    expect(read(`<Id><Othr><Id>021000021/000123456789</Id></Othr></Id>`)).toMatchObject([
      { account: "021000021/123456789" },
    ]);
    expect(read(`<Id><Othr><Id>de89 3704 0044 0532 0130 00</Id></Othr></Id>`)).toMatchObject([{ account }]);
    expect(read(id)).toEqual([expect.stringContaining("MmbId) is missing")]);
  });

  it("reads prefixes, and leaves out elements of other namespaces", () => {
    const other = `<x:Ntry xmlns:x="urn:other"><AcctSvcrRef>not</AcctSvcrRef></x:Ntry>`;
    const text = notificationOf(account, named("E1", other))
      .replace('<Document xmlns="', '<Document xmlns:a="')
      .replaceAll(/<(\/?)(?!x:|\?)(\w)/g, "<$1a:$2");
    expect(eventsIn(text)).toMatchObject([{ references: { accountServicer: "E1" } }]);
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
    expect(eventsIn(text)).toMatchObject([
      { kind: "returned", references: { transaction: "E1" }, account, amount: 1250, currency: "USD" },
      { kind: "returned", references: { endToEnd: "P1" } },
      "It has no reference of the original payment.",
    ]);
  });

  it("is of a whole group only if it names no transaction", () => {
    const total = `<TtlRtrdIntrBkSttlmAmt Ccy="USD">50.00</TtlRtrdIntrBkSttlmAmt></GrpHdr>`;
    const group = "<OrgnlGrpInf><OrgnlMsgId>G1</OrgnlMsgId></OrgnlGrpInf>";
    const grouped = (text: string) =>
      text.replace("</GrpHdr>", `<GrpRtr>true</GrpRtr>${total}${group}`).replace(/<TxInf><\/TxInf>/, "");
    const references = { message: "G1" };
    expect(eventsIn(grouped(returnOf("")))).toMatchObject([
      { kind: "returned", references, group: { transactions: 1 }, amount: 5000, returnId: "R1" },
    ]);
    const [one, ...others] = eventsIn(grouped(returnOf("<OrgnlTxId>T1</OrgnlTxId>")));
    expect([one, others]).toMatchObject([{ references: { ...references, transaction: "T1" } }, []]);
    expect(one).not.toHaveProperty("group");
    expect(eventsIn(grouped(returnOf("")).replace(group, ""))).toEqual([
      expect.stringContaining("OrgnlMsgId"),
    ]);
  });
});

describe("a message", () => {
  const said = { bankReference: "E1", reference: "text", amount: 1250, currency: "USD" };
  const announced = { type: "deposit.announced", eventId: "1", ...said };

  it("announces or returns a deposit", () => {
    const references = { accountServicer: "E1" };
    const event = { kind: "deposited", references, remittance: ["text"], amount: 1250, currency: "USD" };
    expect(iso20022.readMessage(JSON.stringify(announced))).toEqual({ eventId: "1", event });
    const returned = { type: "deposit.returned", eventId: "2", bankReference: "E1" };
    const back = { eventId: "2", event: { kind: "returned", references } };
    expect(iso20022.readMessage(JSON.stringify(returned))).toEqual(back);
  });

  it.each([
    ["{", "body"],
    [JSON.stringify({ ...announced, type: "other" }), "type"],
    [JSON.stringify({ ...announced, amount: 12.5 }), "amount"],
    [JSON.stringify({ ...announced, currency: "usd" }), "currency"],
    [JSON.stringify({ ...announced, bankReference: undefined }), "bankReference"],
    [JSON.stringify({ ...announced, bankReference: "NONREF" }), "bankReference"],
  ])("cannot be read: %s", (body, field) => {
    expect(() => iso20022.readMessage(body)).toThrow(field);
  });
});

const refusalOf = (text: string | Uint8Array) => {
  const found = iso20022.readFile(typeof text === "string" ? Buffer.from(text) : text);
  return "reason" in found ? found : "was read";
};

describe("a file that is refused whole", () => {
  const good = notificationOf(account, named("E1"));
  const entity = `<!DOCTYPE Document [<!ENTITY a "b">]>`;
  it.each([
    ["an unclosed element", good.replace("</Document>", ""), "unclosed tag: Document (line 6"],
    ["nothing", "", "document must contain a root element"],
    ["a document type", good.replace("<Document", `${entity}<Document`), "document type declaration"],
    ["an entity", good.replace("M1", "&a;"), "undefined entity"],
    ["an unknown prefix", good.replace("<GrpHdr>", "<x:GrpHdr>"), "unbound namespace prefix"],
    ["another version", good.replace("001.08", "001.16"), "camt.054.001.16"],
    ["a report of the day", good.replace("camt.054", "camt.052"), "camt.052, are not final"],
    ["a Document of another kind", `<a>${good.slice(39)}<Document xmlns="b"/></a>`, '"b"'],
    ["elements that nest too deep", good.replace("M1", "<a>".repeat(50)), "more than 40 deep"],
    ["another root", good.replaceAll("Document", "Other"), "It has no Document"],
    ["no XML", "HDR0001", "It is no XML"],
    ["no XML, compressed", "\x1f\x8b\x08\0\0abcd", "It is no XML"],
  ])("has %s", (_, text, reason) => {
    expect(refusalOf(text)).toMatchObject({ reason: expect.stringContaining(reason) });
  });

  it("says at which record", () => {
    expect(refusalOf(good.replace("</Ntry>", "</Ntry><Ntry><&"))).toMatchObject({ record: 2 });
  });

  it("is larger than 32 MB", () => {
    expect(refusalOf(new Uint8Array(33 * 1024 * 1024))).toMatchObject({
      reason: expect.stringContaining("larger"),
    });
  });
});

describe("what any report says of a credit", () => {
  const factsOf = (...parts: string[]) => {
    const [read] = recordsIn(notificationOf(account, entryOf(...parts)));
    return read && "event" in read && read.event.kind === "deposited" ? read.event.facts : undefined;
  };
  const day = (written: string) => factsOf(`<BookgDt>${written}</BookgDt>`);

  it("has the day around which it is booked, where it says none, or in another zone", () => {
    expect(factsOf()?.around).toBe("2026-11-23");
    expect(day("<Dt>2026-11-20</Dt>")?.around).toBeUndefined();
    expect(day("<Dt>2026-11-20+01:00</Dt>")?.around).toBeUndefined();
    expect(day("<DtTm>2026-10-25T02:30:00</DtTm>")?.around).toBeUndefined();
    for (const zone of ["Z", "+02:00", "-0500"])
      expect(day(`<DtTm>2026-11-20T23:30:00.000${zone}</DtTm>`)?.around).toBe("2026-11-20");
    expect(day("<DtTm>2026-13-40T23:30:00Z</DtTm>")?.around).toBeUndefined();
  });

  it("has the payer's name by its words, in whichever letters and however long", () => {
    const nameOf = (name: string) =>
      factsOf(detailsOf(`<RltdPties><Dbtr><Nm>${name}</Nm></Dbtr></RltdPties>`))?.debtor;
    expect(nameOf("Max Müstermann")).toBe(nameOf(" MAX  MUSTERM"));
    expect(nameOf("Max Müstermann")).toContain(nameOf("mustermann, m"));
    expect(nameOf("Max")).not.toBe(nameOf("Mia"));
  });
});
