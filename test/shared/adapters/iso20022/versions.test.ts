import { describe, expect, it } from "vitest";
import { iso20022 } from "../../../../shared/adapters/iso20022/iso20022.ts";
import {
  account,
  collectedOn,
  detailsOf,
  entryOf,
  notificationOf,
  refsOf,
  returnOf,
  statementOf,
  textOf,
} from "./camt.ts";

const text = "Zahlung für Ærø";
const notification = notificationOf(account, entryOf(detailsOf(refsOf("T1") + textOf(text))));
const read = (file: string | Uint8Array) =>
  iso20022.readFile(typeof file === "string" ? Buffer.from(file) : file);
const reference = { event: { references: { accountServicer: "T1" }, remittance: [text] } };
const statement = statementOf(notification);
const paid = returnOf(`<OrgnlTxId>T1</OrgnlTxId>${collectedOn(account)}`);
const versions = Array.from({ length: 14 }, (_, index) => String(index + 2).padStart(2, "0"));

describe("versions", () => {
  it.each(versions)("%s", (version) => {
    const of = (file: string) => read(file.replace(/001\.\d\d/, `001.${version}`));
    const isText = Number(version) < 8;
    const status = (file: string) => (isText ? file.replace("<Cd>BOOK</Cd>", "BOOK") : file);
    expect(of(status(notification))).toMatchObject([reference]);
    expect(of(status(statement))).toMatchObject([reference]);
    expect(of(paid)).toMatchObject([{ event: { kind: "returned", references: { transaction: "T1" } } }]);
  });

  it.each(["urn:swift:xsd:camt.054.001.02", "urn:swift:xsd:$camt.054.001.04"])("%s", (namespace) => {
    expect(read(notification.replace(/urn:[^"]*/, namespace))).toMatchObject([reference]);
  });
});

describe("an envelope", () => {
  const [, document = ""] = notification.split(/(?<=\?>\n)/);
  const header = `<AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><Ntry/><BizMsgIdr>1</BizMsgIdr></AppHdr>`;
  it.each([
    ["of any name", `<BizMsgEnvlp>${header}${document}</BizMsgEnvlp>`],
    ["with a namespace", `<a:RequestPayload xmlns:a="urn:a">${header}${document}</a:RequestPayload>`],
    [
      "of SWIFT",
      `<Saa:DataPDU xmlns:Saa="urn:swift:saa:xsd:saa.2.0"><Saa:Body>${header.replace("urn:iso:std:iso:20022:tech:xsd:head.001.001.02", "urn:swift:xsd:$ahV10")}${document}</Saa:Body></Saa:DataPDU>`,
    ],
  ])("%s", (_, file) => {
    expect(read(file)).toMatchObject([reference]);
  });

  it("of several Documents, each with its places", () => {
    const file = `<e>${document}${statement.slice(39)}${document}</e>`;
    const place = { statement: "N1", entry: 1 };
    expect(read(file)).toMatchObject([1, 2, 3].map(() => ({ event: { ...reference.event, place } })));
  });

  it("of several statements, each with its account and places", () => {
    const second = `<Ntfctn><Id>N2</Id><ElctrncSeqNb>7</ElctrncSeqNb><NtfctnPgntn><PgNb>3</PgNb></NtfctnPgntn>
      <Acct><Id><IBAN>FR7630006000011234567890189</IBAN></Id></Acct>${entryOf()}${entryOf()}</Ntfctn>`;
    const file = notification.replace("</Ntfctn>", `</Ntfctn>${second}`);
    const place = { statement: "N2", sequence: "7", page: "3" };
    expect(read(file)).toMatchObject([
      { event: { account, place: { statement: "N1", entry: 1 } } },
      { event: { account: "FR7630006000011234567890189", place: { ...place, entry: 1 } } },
      { event: { place: { ...place, entry: 2 } } },
    ]);
  });
});

describe("a Document", () => {
  const asStatus = (file: string) =>
    file.replace("pacs.004", "pain.002").replaceAll("PmtRtr", "CstmrPmtStsRpt");
  it.each([
    ["a return without transactions", returnOf()],
    ["a status report without a status", asStatus(returnOf())],
    ["a notification of no account", notification.replace(/<Ntfctn>.*<\/Ntfctn>/s, "")],
    ["another message in the namespace", notification.replace(/<Bk.*<\/Bk\w+>/s, "<Other/>")],
  ])("%s is kept, beside others too", (_, file) => {
    const kept = { reason: "It says nothing of a payment or an account." };
    expect(read(file)).toMatchObject([kept]);
    const both = `<e>${file.replace(/<\?.*\?>/, "")}${paid}</e>`;
    expect(read(both)).toMatchObject([kept, { event: {} }]);
  });

  it("of an account without entries has no record", () => {
    for (const file of [notificationOf(account), statement.replace(/<Ntry>.*<\/Ntry>/s, "")])
      expect(read(file)).toEqual([]);
  });
});

describe("an encoding", () => {
  const declaring = (encoding: string) => notification.replace("UTF-8", encoding);
  const mark = "\ufeff";
  const utf16be = (file: string) => Buffer.from(file, "utf16le").swap16();
  it.each([
    ["UTF-8 with a mark", Buffer.from(mark + notification)],
    ["UTF-8 by no declaration", Buffer.from(notification.slice(39))],
    ["ISO-8859-1", Buffer.from(declaring("ISO-8859-1"), "latin1")],
    ["ISO-8859-15", Buffer.from(declaring("iso-8859-15"), "latin1")],
    ["windows-1252", Buffer.from(declaring("Windows-1252"), "latin1")],
    ["UTF-16 with a mark", Buffer.from(mark + declaring("UTF-16"), "utf16le")],
    ["UTF-16, big end first", utf16be(mark + declaring("UTF-16"))],
    ["UTF-16LE without a mark", Buffer.from(declaring("UTF-16LE"), "utf16le")],
    ["UTF-16BE without a mark", utf16be(declaring("UTF-16BE"))],
    ["UTF-8 behind a line", Buffer.from(`${mark}\r\n ${notification}`)],
    ["ISO-8859-1 behind blanks", Buffer.from(`\n\t ${declaring("ISO-8859-1")}`, "latin1")],
    ["UTF-8 with the end of a mainframe's file", Buffer.from(`${notification}\x1a\0\0`)],
  ])("%s is read exactly", (_, bytes) => {
    expect(read(bytes)).toMatchObject([reference]);
  });

  it("has its own characters beside those of ISO-8859-1", () => {
    const file = (encoding: string, ...bytes: number[]) => {
      const [begin = "", end = ""] = declaring(encoding).split(text);
      return Buffer.concat([Buffer.from(begin), Buffer.from(bytes), Buffer.from(end)]);
    };
    const remittance = ["€ Ž"];
    expect(read(file("windows-1252", 0x80, 0x20, 0x8e))).toMatchObject([{ event: { remittance } }]);
    expect(read(file("ISO-8859-15", 0xa4, 0x20, 0xb4))).toMatchObject([{ event: { remittance } }]);
    expect(read(file("windows-1252", 0x81))).toMatchObject({ reason: "It is not windows-1252." });
  });

  it("is right wherever the file is read in parts", () => {
    const long = textOf(...Array.from({ length: 3_000 }, () => `${text} €${"x".repeat(20)}`));
    const file = notificationOf(account, entryOf(detailsOf(long)));
    for (const bytes of [Buffer.from(file), Buffer.from(file.replace("UTF-8", "UTF-16LE"), "utf16le")]) {
      const [first] = [read(bytes)].flat();
      const written = first && "event" in first && first.event.kind === "deposited" && first.event.remittance;
      expect(new Set(written || [])).toEqual(new Set([`${text} €${"x".repeat(20)}`]));
    }
  });

  it.each([
    ["of bytes that are none of its", Buffer.from(notification, "latin1"), "It is not UTF-8."],
    ["that is unknown", Buffer.from(declaring("EBCDIC-CP-US")), "Its encoding is EBCDIC-CP-US"],
    ["that its mark contradicts", Buffer.from(mark + declaring("ISO-8859-1")), "not by its bytes"],
    ["that its bytes contradict", Buffer.from(declaring("UTF-16")), "not by its bytes"],
    ["with half a character", Buffer.from(declaring("UTF-16LE"), "utf16le").subarray(0, -1), "not UTF-16LE"],
    ["of ASCII with other characters", Buffer.from(declaring("US-ASCII"), "latin1"), "It is not US-ASCII."],
  ])("%s is refused", (_, bytes, reason) => {
    expect(read(bytes)).toMatchObject({ reason: expect.stringContaining(reason) });
  });
});
