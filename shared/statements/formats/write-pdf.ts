import { countDecimals, toDecimal } from "../../contract/currencies.ts";
import type { StatementLine } from "../../contract/statements.ts";
import { Drawing } from "./fonts.ts";
import { closeDocument, firstPage, once, type Parts } from "./frame.ts";
import { type Place, references } from "./objects.ts";
import { Page, pageHeight, pageWidth, showText, UsedGlyphs } from "./page.ts";
import type { PdfState, Row } from "./pdf-state.ts";
import type { Sheet } from "./sheet.ts";

const margin = 50;
const right = pageWidth - margin;
const columns = { date: margin, description: margin + 66, amount: right - 88, balance: right } as const;
const descriptionWidth = columns.amount - columns.description - 70;
const lineHeight = 15;
const columnNames = ["Date", "Description", "Amount", "Balance"] as const;
const headHeight = lineHeight + 4;
const titleHeight = 28;
const lowest = margin + 2 * lineHeight;
/** The lines at the end take the place of so many rows. */
const proofRows = 3;
const pageCountAt = right - 40;

const header = "%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n";

/** The text before the first page: characters of two bytes say that it is no ASCII file. */
const begun: PdfState = {
  bytes: Buffer.byteLength(header),
  next: firstPage,
  rows: [],
  used: {},
  elements: [],
  pages: [],
};

export interface PdfPart {
  readonly sheet: Sheet;
  readonly lines: readonly StatementLine[];
  readonly state: PdfState | undefined;
  readonly isLast: boolean;
}

/** A part of the document: whole pages, and with the last lines what is behind them. */
export async function writePdf({ sheet, lines, state, isLast }: PdfPart) {
  const writer = new PdfWriter(sheet, state ?? begun);
  const closing = balanceRow(sheet, sheet.lastDay, "Closing balance", sheet.closingMinor);
  const opening = balanceRow(sheet, sheet.firstDay, "Opening balance", sheet.openingMinor);
  const rows = [
    ...(state ? state.rows : [opening]),
    ...lines.map((line) => toRow(sheet, line)),
    ...(isLast ? [closing] : []),
  ];
  await writer.prepare(rows);
  const left = writer.writePages(rows, isLast);
  const text = `${state ? "" : header}${writer.takeText()}`;
  if (!isLast) return { text, state: writer.toState(left) };
  return { text: text + (await writer.close()) };
}

function toRow({ currency }: Sheet, { date, description, amount, balance }: StatementLine): Row {
  const decimals = countDecimals(currency);
  return { date, description, amount: toDecimal(amount, decimals), balance: toDecimal(balance, decimals) };
}

function balanceRow({ currency }: Sheet, date: string, description: string, minor: number): Row {
  return { date, description, balance: toDecimal(minor, countDecimals(currency)), isBold: true };
}

function toFacts(sheet: Sheet): (readonly [name: string, text: string])[] {
  const { kind, name, cardNumber, accountId, firstDay, lastDay } = sheet;
  const period = `${firstDay} to ${lastDay} (${sheet.timeZone})${sheet.closed ? "" : ", not closed yet"}`;
  const facts: [string, string | undefined][] = [
    ["Holder", sheet.holderName],
    [kind === "card" ? "Card" : "Wallet", [name, cardNumber].filter(Boolean).join(", ")],
    ["Account", accountId],
    ["Issuer", sheet.issuerName],
    ["Program", sheet.programName],
    ["Period", period],
    ["Currency", sheet.currency],
  ];
  return facts.flatMap(([title, text]) => (text ? [[title, text] as const] : []));
}

function toProof({ openingMinor, closingMinor, entries, hash, currency }: Sheet): string[] {
  const sum = toDecimal(closingMinor - openingMinor, countDecimals(currency));
  const texts = [`Closing less opening balance: ${sum}, in ${entries} journal entries`];
  return hash === "" ? texts : [...texts, `SHA-256 of the entries: ${hash}`];
}

class PdfWriter {
  readonly #sheet: Sheet;
  readonly #drawing = new Drawing();
  readonly #used: UsedGlyphs;
  readonly #pages: PdfState["pages"][number][];
  readonly #elements: number[];
  #head: number | undefined;
  #next: number;
  #bytes: number;
  #text: string[] = [];

  constructor(sheet: Sheet, state: PdfState) {
    this.#sheet = sheet;
    this.#used = new UsedGlyphs(state.used);
    this.#pages = [...state.pages];
    this.#elements = [...state.elements];
    this.#head = state.head;
    this.#next = state.next;
    this.#bytes = state.bytes;
  }

  prepare(rows: readonly Row[]): Promise<void> {
    const facts = toFacts(this.#sheet).flat();
    const fixed = ["Statement Page of 0123456789", this.#sheet.period, ...columnNames, ...facts];
    const texts = rows.flatMap(({ date, description, amount = "", balance }) => [
      ...[date, description, amount, balance],
    ]);
    return this.#drawing.prepare([...fixed, ...toProof(this.#sheet), ...texts]);
  }

  /** The rows that wait for more: a page is full, or the last one. */
  writePages(rows: readonly Row[], isLast: boolean): Row[] {
    let left = [...rows];
    while (left.length > 0) {
      const room = this.#countRows();
      const isEnd = isLast && left.length <= room - proofRows;
      if (!isLast && left.length <= room) break;
      // The lines at the end have a row on their page.
      const count = isEnd ? left.length : Math.min(room, left.length - (isLast ? 1 : 0));
      this.#writePage(left.slice(0, count), isEnd);
      left = left.slice(count);
    }
    return left;
  }

  #countRows(): number {
    const top = pageHeight - margin - (this.#pages.length === 0 ? this.#titleHeight() : 0) - headHeight;
    return Math.floor((top - lowest) / lineHeight) + 1;
  }

  #titleHeight(): number {
    return 16 + titleHeight + (toFacts(this.#sheet).length + 1) * lineHeight;
  }

  #writePage(rows: readonly Row[], isEnd: boolean): void {
    const index = this.#pages.length;
    const page = new Page({
      drawing: this.#drawing,
      used: this.#used,
      first: this.#next,
      index,
      resources: `${once.resources} 0 R`,
      parent: once.pages,
    });
    // Its number is the third of the page: `close` counts on it.
    const body = page.reserve();
    let y = pageHeight - margin;
    if (index === 0) y = this.#writeTitle(page, y);
    y = this.#writeColumnNames(page, y, index === 0);
    const written = rows.map((row) => {
      const number = writeRow(page, body, row, y);
      y -= lineHeight;
      return number;
    });
    page.define(body, `<</Type/StructElem/S/TBody/P ${once.table} 0 R/K[${references(written)}]>>`);
    if (isEnd) this.#writeProof(page, y);
    this.#writeFoot(page, index);
    const { content, objects, numbers, next } = page.finish();
    this.#pages.push([content.length, objects.length, numbers.length]);
    this.#text.push(content, objects);
    this.#bytes += content.length + objects.length;
    this.#next = next;
  }

  #writeTitle(page: Page, top: number): number {
    let y = top - 16;
    const at = y;
    const title = `Statement ${this.#sheet.period}`;
    const write = () => void page.write(title, margin, at, { isBold: true, size: 20 });
    this.#elements.push(page.mark("H1", once.document, write));
    y -= titleHeight;
    for (const [name, text] of toFacts(this.#sheet)) {
      const line = y;
      const draw = () => {
        page.write(`${name} `, margin, line, { isGrey: true });
        page.writeWithin(text, columns.description, line, { width: right - columns.description });
      };
      this.#elements.push(page.mark("P", once.document, draw));
      y -= lineHeight;
    }
    this.#elements.push(once.table);
    return y - lineHeight;
  }

  /** On the first page they are the table's head, on others they repeat it. */
  #writeColumnNames(page: Page, y: number, isFirst: boolean): number {
    const [date, description, amount, balance] = columnNames;
    const cells = [
      () => void page.write(date, columns.date, y, { isBold: true }),
      () => void page.write(description, columns.description, y, { isBold: true }),
      () => page.writeRight(amount, columns.amount, y, { isBold: true }),
      () => page.writeRight(balance, columns.balance, y, { isBold: true }),
    ];
    if (isFirst) {
      const [head, row] = [page.reserve(), page.reserve()];
      const scope = "/A<</O/Table/Scope/Column>>";
      const names = cells.map((draw) => page.mark("TH", row, draw, scope));
      page.define(row, `<</Type/StructElem/S/TR/P ${head} 0 R/K[${references(names)}]>>`);
      page.define(head, `<</Type/StructElem/S/THead/P ${once.table} 0 R/K[${row} 0 R]>>`);
      this.#head = head;
    } else {
      page.artifact("Pagination", () => {
        for (const draw of cells) draw();
      });
    }
    page.artifact("Layout", () => page.rule(margin, right, y - 5));
    return y - headHeight;
  }

  #writeProof(page: Page, from: number): void {
    let y = from - lineHeight;
    for (const text of toProof(this.#sheet)) {
      const at = y;
      const write = () => void page.write(text, margin, at, { size: 8, isGrey: true });
      this.#elements.push(page.mark("P", once.document, write));
      y -= 12;
    }
  }

  #writeFoot(page: Page, index: number): void {
    const y = margin - 20;
    const style = { size: 8, isGrey: true };
    page.artifact("Pagination", () => {
      page.write(this.#sheet.accountId, margin, y, style);
      page.writeRight(`Page ${index + 1} `, pageCountAt, y, style);
      page.drawForm("PageCount", pageCountAt, y);
    });
  }

  takeText(): string {
    return this.#text.join("");
  }

  toState(rows: readonly Row[]): PdfState {
    return {
      bytes: this.#bytes,
      next: this.#next,
      rows: [...rows],
      used: this.#used.toJson(),
      elements: this.#elements,
      ...(this.#head !== undefined && { head: this.#head }),
      pages: this.#pages,
    };
  }

  close(): Promise<string> {
    const count = this.#drawing.draw(`of ${this.#pages.length}`);
    const pageCount = `0.4 g BT 0 0 Td ${showText(count, this.#used, 8)} ET`;
    const places = new Map<number, Place>();
    const pages: Parts["pages"][number][] = [];
    const bodies: number[] = [];
    let [offset, next] = [Buffer.byteLength(header), firstPage];
    for (const [contentLength, objectsLength, packed] of this.#pages) {
      places.set(next, [offset]).set(next + 1, [offset + contentLength]);
      for (let index = 0; index < packed; index += 1) places.set(next + 2 + index, [next + 1, index]);
      pages.push({ number: next + 2, parents: next + 3 });
      bodies.push(next + 4);
      offset += contentLength + objectsLength;
      next += 2 + packed;
    }
    const tableParts = [this.#head as number, ...bodies];
    const used = this.#used.toJson();
    const parts = { sheet: this.#sheet, used, elements: this.#elements, tableParts, pages, pageCount };
    return closeDocument(parts, { places, offset, next });
  }
}

function writeRow(page: Page, body: number, { date, description, amount, balance, isBold }: Row, y: number) {
  const row = page.reserve();
  const style = { isBold: isBold ?? false };
  const cells = [
    page.mark("TD", row, () => void page.write(date, columns.date, y, style)),
    page.mark("TD", row, () =>
      page.writeWithin(description, columns.description, y, { width: descriptionWidth, ...style }),
    ),
    amount === undefined
      ? page.define(page.reserve(), `<</Type/StructElem/S/TD/P ${row} 0 R>>`)
      : page.mark("TD", row, () => page.writeRight(amount, columns.amount, y, style)),
    page.mark("TD", row, () => page.writeRight(balance, columns.balance, y, style)),
  ];
  return page.define(row, `<</Type/StructElem/S/TR/P ${body} 0 R/K[${references(cells)}]>>`);
}
