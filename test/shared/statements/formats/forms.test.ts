import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SaxesParser } from "saxes";
import { describe, expect, it } from "vitest";
import { type StatementLine, StatementLineType } from "../../../../shared/contract/statements.ts";
import { renderStatement, writePart } from "../../../../shared/statements/formats/forms.ts";
import { PdfState } from "../../../../shared/statements/formats/pdf-state.ts";
import type { Sheet } from "../../../../shared/statements/formats/sheet.ts";

/** Debian's package `hledger`. */
const hasHledger = spawnSync("hledger", ["--version"]).status === 0;

const sheet: Sheet = {
  kind: "card",
  accountId: "crd_01J9ZC3P2V8Q4N6T0B5W7XKD1M",
  programId: "prg_01J9ZC3P2V8Q4N6T0B5W7XKD1M",
  programName: "Everyday & Co",
  name: "Łukasz <Dvořák>",
  cardNumber: "400000******1234",
  period: "2026-11",
  closed: true,
  sequence: 3,
  start: "2026-10-31T23:00:00.000Z",
  end: "2026-11-30T23:00:00.000Z",
  timeZone: "Europe/Berlin",
  firstDay: "2026-11-01",
  lastDay: "2026-11-30",
  madeAt: "2026-11-30T23:00:00.000Z",
  currency: "EUR",
  openingMinor: -5,
  closingMinor: 123,
  entries: 2,
  hash: "abc",
};

const line = (more: Partial<StatementLine> = {}): StatementLine => ({
  date: "2026-11-25",
  type: "purchase",
  description: "Corner Shop",
  amount: -1_050,
  balance: -1_055,
  transId: "txn_01J9ZC3P2V8Q4N6T0B5W7XKD1M",
  journalEntryId: "jrn_01J9ZC3P2V8Q4N6T0B5W7XKD1M",
  ...more,
});

const text = async (
  format: "csv" | "pdf" | "camt053" | "json",
  lines: StatementLine[],
  more: Partial<Sheet> = {},
) => (await renderStatement(format, { ...sheet, ...more }, lines)).document;

const lines = StatementLineType.options.map((type, index) =>
  line({ type, amount: index % 2 === 0 ? -105 : 5, description: `Line ${type}` }),
);

describe("a statement in CSV", () => {
  it("has a row for each line between those of the balances", async () => {
    expect(await text("csv", [line()])).toBe(
      [
        "type,date,description,amount,balance,transId,journalEntryId,currency,decimalAmount,decimalBalance",
        "opening,2026-11-01,Opening balance,,-5,,,EUR,,-0.05",
        "purchase,2026-11-25,Corner Shop,-1050,-1055,txn_01J9ZC3P2V8Q4N6T0B5W7XKD1M,jrn_01J9ZC3P2V8Q4N6T0B5W7XKD1M,EUR,-10.50,-10.55",
        "closing,2026-11-30,Closing balance,,123,,,EUR,,1.23",
        "",
      ].join("\r\n"),
    );
  });

  it.each([
    ["EUR", "-10.50", "1.23", "-10.55"],
    ["JPY", "-1050", "123", "-1055"],
    ["BHD", "-1.050", "0.123", "-1.055"],
  ])("has amounts of %s as people read them", async (currency, amount, closing, balance) => {
    const rows = (await text("csv", [line()], { currency })).split("\r\n");
    expect(rows[2]).toContain(`,-1050,-1055,`);
    expect(rows[2]?.endsWith(`,${currency},${amount},${balance}`)).toBe(true);
    expect(rows[3]).toBe(`closing,2026-11-30,Closing balance,,123,,,${currency},,${closing}`);
    expect(await text("camt053", [], { currency })).toContain(`<Amt Ccy="${currency}">${closing}</Amt>`);
  });

  it.skipIf(!hasHledger)(
    "is read by hledger with the rules of the page, which knows each balance",
    async () => {
      const rules = /```text\n(skip 1\n.*?)```/s.exec(readFileSync("docs/statements.md", "utf8"))?.[1];
      const folder = mkdtempSync(join(tmpdir(), "statement-"));
      const hledger = (...given: string[]) => spawnSync("hledger", given, { cwd: folder, encoding: "utf8" });
      const read = (csv: string) => {
        writeFileSync(join(folder, "statement.csv"), csv);
        writeFileSync(join(folder, "statement.csv.rules"), String(rules));
        writeFileSync(join(folder, "statement.journal"), hledger("-f", "statement.csv", "print").stdout);
        return hledger("-f", "statement.journal", "balance");
      };
      const csv = await text("csv", [
        line({ amount: 1_000, balance: 995, type: "deposit", description: '=Łódź, a "deposit"' }),
        line({ amount: -872, balance: 123, type: "cash" }),
      ]);
      const { stdout } = read(csv);
      expect(stdout).toMatch(/EUR1\.23 {2}assets:card/);
      expect(stdout).toMatch(/EUR0\.05 {2}equity:opening/);
      // A line that is missing.
      expect(read(csv.replace(/^deposit.*\r\n/m, "")).stderr).toContain("balance assertion");
      rmSync(folder, { recursive: true });
    },
  );

  /** What is a formula, and how it is kept from being one, is csv.test.ts's. */
  it("writes no formula", async () => {
    expect(await text("csv", [line({ description: "=1+1" })])).toContain(`purchase,2026-11-25,'=1+1,-1050`);
  });
});

/** The order and the forms of camt.053.001.08, as far as statements use it. */
const children: Readonly<Record<string, readonly string[]>> = {
  Document: ["BkToCstmrStmt"],
  BkToCstmrStmt: ["GrpHdr", "Stmt"],
  GrpHdr: ["MsgId", "CreDtTm"],
  Stmt: ["Id", "ElctrncSeqNb", "CreDtTm", "FrToDt", "Acct", "Bal", "Ntry"],
  FrToDt: ["FrDtTm", "ToDtTm"],
  Acct: ["Id", "Ccy", "Nm", "Svcr"],
  Svcr: ["FinInstnId"],
  FinInstnId: ["Nm", "Othr"],
  Bal: ["Tp", "Amt", "CdtDbtInd", "Dt"],
  Tp: ["CdOrPrtry"],
  CdOrPrtry: ["Cd"],
  Ntry: [
    ...["NtryRef", "Amt", "CdtDbtInd", "Sts", "BookgDt", "ValDt"],
    ...["AcctSvcrRef", "BkTxCd", "NtryDtls", "AddtlNtryInf"],
  ],
  Sts: ["Cd"],
  BookgDt: ["Dt"],
  ValDt: ["Dt"],
  BkTxCd: ["Domn"],
  Domn: ["Cd", "Fmly"],
  Fmly: ["Cd", "SubFmlyCd"],
  NtryDtls: ["TxDtls"],
  TxDtls: ["Refs", "RmtInf"],
  Refs: ["AcctSvcrRef"],
  RmtInf: ["Ustrd"],
  Othr: ["Id"],
};
const optional = new Set(["Nm", "RmtInf", "AddtlNtryInf", "Ntry"]);
const values: Readonly<Record<string, RegExp>> = {
  MsgId: /^.{1,35}$/u,
  NtryRef: /^.{1,35}$/u,
  AcctSvcrRef: /^.{1,35}$/u,
  ElctrncSeqNb: /^\d{1,18}$/,
  CreDtTm: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  FrDtTm: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  ToDtTm: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  Ccy: /^[A-Z]{3}$/,
  Nm: /^.{1,140}$/u,
  Amt: /^\d{1,16}(\.\d{2,3})?$/,
  CdtDbtInd: /^(CRDT|DBIT)$/,
  Cd: /^(OPBD|CLBD|ITBD|BOOK|PMNT|CCRD|RCDT|ICDT)$/,
  SubFmlyCd: /^[A-Z]{4}$/,
  Ustrd: /^.{1,140}$/u,
  AddtlNtryInf: /^.{1,500}$/u,
};

interface Node {
  readonly name: string;
  readonly children: Node[];
  text: string;
}

function parse(xml: string): Node {
  const parser = new SaxesParser({ xmlns: true });
  const open: Node[] = [{ name: "", children: [], text: "" }];
  parser.on("opentag", ({ name, uri }) => {
    expect(uri).toBe("urn:iso:std:iso:20022:tech:xsd:camt.053.001.08");
    const node = { name, children: [], text: "" };
    open.at(-1)?.children.push(node);
    open.push(node);
  });
  parser.on("text", (part) => {
    (open.at(-1) as Node).text += part;
  });
  parser.on("closetag", () => void open.pop());
  parser.on("error", (error) => {
    throw error;
  });
  parser.write(xml).close();
  return open[0]?.children[0] as Node;
}

function expectValid(node: Node): void {
  const expected = node.name === "Id" || node.name === "Dt" ? undefined : children[node.name];
  const names = node.children.map(({ name }) => name);
  if (expected) {
    const places = names.map((name) => expected.indexOf(name));
    expect(places, node.name).toEqual(places.toSorted((left, right) => left - right));
    expect(places).not.toContain(-1);
    const missing = expected.filter((name) => !optional.has(name) && !names.includes(name));
    expect(missing, node.name).toEqual([]);
  } else if (names.length === 0) {
    const form = values[node.name] ?? (node.name === "Dt" ? /^\d{4}-\d\d-\d\d$/ : /^.{1,35}$/u);
    expect(node.text, node.name).toMatch(form);
  }
  for (const child of node.children) expectValid(child);
}

const find = (node: Node, name: string): Node[] => [
  ...node.children.filter((child) => child.name === name),
  ...node.children.flatMap((child) => find(child, name)),
];

describe("a statement in camt.053.001.08", () => {
  it("has the schema's elements in their order, with values of their forms", async () => {
    const document = parse(await text("camt053", lines));
    expectValid(document);
    expect(find(document, "Ntry")).toHaveLength(lines.length);
    expect(
      find(document, "Bal").map(({ children: [, amount, direction] }) => [amount?.text, direction?.text]),
    ).toEqual([
      ["0.05", "DBIT"],
      ["1.23", "CRDT"],
    ]);
  });

  it.each([
    "a & b < c > d",
    "x".repeat(700),
    "🏪".repeat(200),
    "\u0000\u0007control\u0085",
    "half \uD83C",
    "",
    "   ",
    "\uFFFE",
  ])("stays well-formed with the description %j", async (description) => {
    expectValid(parse(await text("camt053", [line({ description })], { name: description })));
  });

  it("gives a fee another reference than the entry that it shares", async () => {
    const document = parse(await text("camt053", [line(), line({ type: "fee" })]));
    const references = find(document, "Ntry").map((entry) => find(entry, "AcctSvcrRef")[0]?.text);
    expect(new Set(references).size).toBe(2);
  });

  it("says that an open month is interim, by an id of its content", async () => {
    const open = await text("camt053", [], { closed: false });
    expectValid(parse(open));
    expect(open).toContain("<Cd>ITBD</Cd>");
    const other = await text("camt053", [], { closed: false, hash: "def" });
    const id = (xml: string) => /<MsgId>(.*)<\/MsgId>/.exec(xml)?.[1];
    expect(id(open)).not.toBe(id(other));
  });
});

/** Debian's packages `qpdf`, `ghostscript` and `poppler-utils`. */
const hasPdfTools = ["qpdf", "gs", "pdftotext"].every(
  (tool) => spawnSync(tool, ["--version"]).error === undefined,
);

it("docs/statements.md has the code of each kind of line in camt.053", async () => {
  const rows = readFileSync("docs/statements.md", "utf8").matchAll(/^\| (`.+`) \| `([A-Z]{4})` (`.+`) \|$/gm);
  const wordsIn = (cell = "") => [...cell.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word);
  const told = [...rows].flatMap(([, types, family, codes]) =>
    wordsIn(types).map((type, index) => [type, `${family} ${wordsIn(codes)[index]}`]),
  );
  const sent = StatementLineType.options.map(async (type) => {
    const entry = await text("camt053", [line({ type, amount: 100 })]);
    const [, family, code] = /<Fmly><Cd>(\w+)<\/Cd><SubFmlyCd>(\w+)</.exec(entry) ?? [];
    return [type, `${family} ${code}`];
  });
  // What a Wallet pays is a transfer, received or sent.
  const funding = ["funding", "RCDT BOOK"];
  expect([...told, funding].toSorted()).toEqual((await Promise.all(sent)).toSorted());
});

describe("a statement in PDF", () => {
  const mixed = Array.from({ length: 130 }, (_, index) =>
    line({
      description: ["Łódź — naïve", "Ελληνικά", "Кафе", "齋藤さん", "🏪 \n x".repeat(40)][
        index % 5
      ] as string,
    }),
  );

  it("is text in UTF-8, and the same bytes each time", async () => {
    const pdf = await text("pdf", lines);
    expect(pdf).toMatch(/^%PDF-1\.7\n%\u00e2\u00e3\u00cf\u00d3\n.*%%EOF\n$/s);
    expect([...pdf.slice(15)].filter((character) => character > "~" || character === "\0")).toEqual([]);
    expect(await text("pdf", lines)).toBe(pdf);
    expect(await text("pdf", [])).toMatch(/%%EOF\n$/);
  });

  it("says that it is PDF/A-2b, with one title", async () => {
    const pdf = await text("pdf", mixed);
    const title = `Statement 2026-11 of ${sheet.accountId}`;
    expect(pdf).toContain("<pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>");
    expect(pdf).toContain(`<rdf:li xml:lang="x-default">${title}</rdf:li>`);
  });

  it.each([1, 44, 45, 46, 100])("is the same whatever its parts: of %d lines", async (size) => {
    let [state, written]: [PdfState | undefined, string] = [undefined, ""];
    for (let at = 0; at < mixed.length; at += size) {
      const place = { isFirst: at === 0, isLast: at + size >= mixed.length, ...(state && { state }) };
      const part = await writePart("pdf", sheet, mixed.slice(at, at + size), place);
      // As a message of the next step has it.
      state = part.state && PdfState.parse(JSON.parse(JSON.stringify(part.state)));
      written += part.text;
    }
    expect(written).toBe(await text("pdf", mixed));
  });

  it.skipIf(!hasPdfTools)("is read by qpdf, Ghostscript and Poppler, in any script", async () => {
    const folder = mkdtempSync(join(tmpdir(), "statement-"));
    const names = { holderName: "山田 Łukasz Ελλάς", issuerName: "Žluťoučký Bank" };
    for (const count of [0, 30, 40, 41, 42, 43, 44, 130]) {
      const file = join(folder, `${count}.pdf`);
      writeFileSync(file, await text("pdf", mixed.slice(0, count), { ...names }));
      const run = (tool: string, ...given: string[]) => spawnSync(tool, given, { encoding: "utf8" });
      expect(run("qpdf", "--check", file), String(count)).toMatchObject({ status: 0, stderr: "" });
      const drawn = run("gs", "-q", "-dNOPAUSE", "-dBATCH", "-dPDFSTOPONERROR", "-sDEVICE=nullpage", file);
      expect(drawn, String(count)).toMatchObject({ status: 0, stdout: "", stderr: "" });
      const { stdout } = run("pdftotext", "-layout", file, "-");
      expect(stdout).toMatch(/Holder +山田 Łukasz Ελλάς\n/);
      expect(stdout).toMatch(/Issuer +Žluťoučký Bank\n *Program +Everyday & Co\n/);
      expect(stdout.match(/2026-11-25/g) ?? []).toHaveLength(count);
      const pages = stdout.match(/Page \d+ +of \d+/g) ?? [];
      expect(pages.at(-1)).toMatch(new RegExp(`Page ${pages.length} +of ${pages.length}$`));
      const structure = spawnSync("pdfinfo", ["-struct", file], { encoding: "utf8" }).stdout;
      expect(structure.match(/^ *TR$/gm)).toHaveLength(count + 3);
    }
    rmSync(folder, { recursive: true });
  });
});

/** Bytes of a closed month never change: another layout needs another `layout` of its record. */
describe("the layout of closed months", () => {
  it.each(["json", "csv", "pdf", "camt053"] as const)("is kept in %s", async (format) => {
    const document = await text(format, [line(), line({ type: "fee", description: "Łódź" })]);
    const digest = createHash("sha256").update(document).digest("hex").slice(0, 16);
    expect(digest).toMatchSnapshot();
  });
});
