import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { booksCsv } from "../../../shared/books/forms.ts";
import { toCsvRow } from "../../../shared/platform/csv.ts";

const cell = (text: string) => toCsvRow([text]).slice(0, -2);

describe("a cell of a text from outside", () => {
  it.each([
    ["a letter", "Zoë's = Café"],
    ["a digit", "7-Eleven"],
    ["a letter of another script", "東京 -1"],
    ["a full-width digit", "７－１１"],
    ["a bracket", "(Berlin)"],
    ["a number sign", "#1 Deli"],
    ["nothing", ""],
  ])("that begins with %s is what it was", (_, text) => {
    expect(cell(text)).toBe(text);
  });

  it.each([
    ["a sign", "=1+1"],
    ["blanks", "  =1+1"],
    ["a blank that does not break", "\u00a0=1+1"],
    ["an ideographic blank", "\u3000+1"],
    ["a direction mark", "\u200e=1+1"],
    ["a direction's override", "\u202e@SUM(A1)"],
    ["a zero-width blank", "\u200b-1"],
    ["a byte order mark", "\ufeff=1+1"],
    ["a soft hyphen", "\u00ad=1+1"],
    ["a letter that cannot be seen", "\u3164=1+1"],
    ["a selector of variations", "\ufe0f=1+1"],
    ["a tag", "\u{e0020}=1+1"],
    ["a full-width sign", "＝1+1"],
    ["a small sign", "﹢1"],
    ["a plus sign of Hebrew", "\ufb291"],
    ["a minus sign of mathematics", "−1"],
    ["an apostrophe before a sign", "'=1+1"],
    ["punctuation", "(-1)"],
  ])("with %s in front of a formula begins with an apostrophe", (_, text) => {
    expect(cell(text)).toBe(`'${text}`);
  });

  it("is no formula where a spreadsheet begins a cell at a semicolon, tab or line break", () => {
    expect(cell("x;=1+1")).toBe(`"x;'=1+1"`);
    expect(cell("x\t=1+1")).toBe(`"x\t'=1+1"`);
    expect(cell("x\r\n +1")).toBe(`"x\r\n' +1"`);
    expect(cell('x";"=1+1')).toBe(`"x"";'""=1+1"`);
  });

  it("is no formula in any way of parting a line, of any characters", () => {
    const hostile = fc.constantFrom(..."=+-@＝−,;|\t\r\n\" 'x1\u200b\u3164\u00a0(");
    fc.assert(
      fc.property(fc.string({ unit: fc.oneof(hostile, fc.string({ unit: "grapheme" })) }), (text) => {
        const row = toCsvRow(["ours", text, "ours"]);
        const cells = [...quotedCells(row), ...row.split(/[,;|\t\r\n]/), ...row.split(/[;\r\n]/)];
        expect(cells.filter(couldBeFormula)).toEqual([]);
        expect(quotedCells(row)[1]?.replaceAll("'", "")).toBe(text.replaceAll("'", ""));
      }),
      { numRuns: 1_000 },
    );
  });

  it("takes no longer than its length", () => {
    const started = performance.now();
    cell(";".repeat(2_000));
    cell(" ".repeat(100_000));
    cell(`${"\u200b".repeat(2_000)}a`);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe("a number of ours", () => {
  it("stays a number, also if it is negative", () => {
    expect(toCsvRow([-1_050, { figure: "-10.50" }])).toBe("-1050,-10.50\r\n");
  });

  it("is one in the books, beside a text from outside", () => {
    const entry = {
      entryId: "jrn_01J9ZC3P2V8Q4N6T0B5W7XKD1M",
      createdAt: "2026-11-25T10:00:00.000Z",
      description: "",
      kind: "clearing" as const,
      relatedId: "\u200e=1+1",
      postings: [{ account: "network_settlement" as const, amountMinor: -1_050 }],
    };
    const [row] = [...(booksCsv.entry?.({ currency: 0 } as never, entry as never) ?? [])];
    expect(row).toContain(",'\u200e=1+1,");
    expect(row).toContain(",10.50,");
  });
});

/** The cells of one record, as RFC 4180 has them. */
function quotedCells(row: string): string[] {
  const found = row.slice(0, -2).matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g);
  return [...found].map(([, one = ""]) =>
    one.startsWith('"') ? one.slice(1, -1).replaceAll('""', '"') : one,
  );
}

const asOneCharacter = (one: string) => {
  const plain = one.normalize("NFKC");
  return plain.length === 1 ? plain : one;
};

/** As a spreadsheet would read that drops all that is no sign, letter, digit or apostrophe. */
function couldBeFormula(text: string): boolean {
  const [first] = text
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replaceAll(/./gsu, asOneCharacter)
    .matchAll(/[=+\-@−\p{L}\p{N}']/gu);
  return first !== undefined && /[=+\-@−]/.test(first[0]);
}
