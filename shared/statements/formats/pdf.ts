import {
  PDFDocument,
  type PDFFont,
  PDFName,
  type PDFPage,
  PDFRawStream,
  PDFStream,
  rgb,
  StandardFonts,
} from "@cantoo/pdf-lib";
import { toDecimal } from "../../contract/currencies.ts";
import type { StatementLine } from "../../contract/statements.ts";
import type { Sheet } from "./sheet.ts";

const [pageWidth, pageHeight] = [595.28, 841.89];
const margin = 50;
const right = pageWidth - margin;
const columns = { date: margin, description: margin + 66, amount: right - 88, balance: right } as const;
const descriptionWidth = columns.amount - columns.description - 70;
const lineHeight = 15;
const grey = rgb(0.4, 0.4, 0.4);

interface Fonts {
  readonly plain: PDFFont;
  readonly bold: PDFFont;
}

/** The same statement is the same bytes: no time of making, and no random id is in them. */
export async function renderPdf(sheet: Sheet, lines: readonly StatementLine[]): Promise<string> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const madeAt = new Date(sheet.madeAt);
  document.setTitle(`Statement ${sheet.period} of ${sheet.accountId}`);
  document.setLanguage("en");
  document.setCreationDate(madeAt);
  document.setModificationDate(madeAt);
  const fonts = {
    plain: await document.embedFont(StandardFonts.Helvetica),
    bold: await document.embedFont(StandardFonts.HelveticaBold),
  };
  const writer = new PageWriter(document, fonts, sheet);
  writer.writeRow(sheet.firstDay, "Opening balance", undefined, sheet.openingMinor, true);
  for (const { date, description, amount, balance } of lines)
    writer.writeRow(date, description, amount, balance);
  writer.writeRow(sheet.lastDay, "Closing balance", undefined, sheet.closingMinor, true);
  writer.writeProof();
  writer.numberPages();
  return asAscii(document);
}

class PageWriter {
  readonly #document: PDFDocument;
  readonly #fonts: Fonts;
  readonly #sheet: Sheet;
  #page: PDFPage;
  #y = 0;

  constructor(document: PDFDocument, fonts: Fonts, sheet: Sheet) {
    this.#document = document;
    this.#fonts = fonts;
    this.#sheet = sheet;
    this.#page = document.addPage([pageWidth, pageHeight]);
    this.#writeTitle();
    this.#writeColumnNames();
  }

  writeRow(
    date: string,
    description: string,
    amountMinor: number | undefined,
    balanceMinor: number,
    isBold = false,
  ): void {
    if (this.#y < margin + 2 * lineHeight) this.#addPage();
    const font = isBold ? this.#fonts.bold : this.#fonts.plain;
    this.#write(date, columns.date, { font });
    this.#write(shorten(description, font, descriptionWidth), columns.description, { font });
    if (amountMinor !== undefined) this.#writeRight(toDecimal(amountMinor), columns.amount, font);
    this.#writeRight(toDecimal(balanceMinor), columns.balance, font);
    this.#y -= lineHeight;
  }

  writeProof(): void {
    const { openingMinor, closingMinor, entries, hash } = this.#sheet;
    if (this.#y < margin + 4 * lineHeight) this.#addPage();
    this.#y -= lineHeight;
    const sum = `Closing less opening balance: ${toDecimal(closingMinor - openingMinor)}, in ${entries} journal entries`;
    for (const text of [sum, hash && `SHA-256 of the entries: ${hash}`]) {
      this.#write(text, margin, { size: 8, color: grey });
      this.#y -= 12;
    }
  }

  numberPages(): void {
    const pages = this.#document.getPages();
    for (const [index, page] of pages.entries()) {
      this.#page = page;
      this.#y = margin - 20;
      this.#write(this.#sheet.accountId, margin, { size: 8, color: grey });
      this.#writeRight(`Page ${index + 1} of ${pages.length}`, right, this.#fonts.plain, {
        size: 8,
        color: grey,
      });
    }
  }

  #writeTitle(): void {
    const { kind, accountId, name, cardNumber, period, closed, firstDay, lastDay, timeZone, currency } =
      this.#sheet;
    const { bold } = this.#fonts;
    this.#y = pageHeight - margin - 16;
    this.#write(`Statement ${period}`, margin, { font: bold, size: 20 });
    this.#y -= 28;
    const facts = [
      [kind === "card" ? "Card" : "Wallet", [name, cardNumber].filter(Boolean).join(", ")],
      ["Account", accountId],
      ["Period", `${firstDay} to ${lastDay} (${timeZone})${closed ? "" : ", not closed yet"}`],
      ["Currency", currency],
    ] as const;
    for (const [title, text] of facts) {
      this.#write(title, margin, { color: grey });
      this.#write(shorten(text, this.#fonts.plain, right - columns.description), columns.description);
      this.#y -= lineHeight;
    }
    this.#y -= lineHeight;
  }

  #addPage(): void {
    this.#page = this.#document.addPage([pageWidth, pageHeight]);
    this.#y = pageHeight - margin;
    this.#writeColumnNames();
  }

  #writeColumnNames(): void {
    const { bold } = this.#fonts;
    this.#write("Date", columns.date, { font: bold });
    this.#write("Description", columns.description, { font: bold });
    this.#writeRight("Amount", columns.amount, bold);
    this.#writeRight("Balance", columns.balance, bold);
    const y = this.#y - 5;
    this.#page.drawLine({ start: { x: margin, y }, end: { x: right, y }, thickness: 0.5, color: grey });
    this.#y -= lineHeight + 4;
  }

  #write(text: string, x: number, { font = this.#fonts.plain, size = 9, color = rgb(0, 0, 0) } = {}): void {
    this.#page.drawText(toWinAnsi(text), { x, y: this.#y, font, size, color });
  }

  #writeRight(text: string, x: number, font: PDFFont, { size = 9, color = rgb(0, 0, 0) } = {}): void {
    this.#write(text, x - font.widthOfTextAtSize(toWinAnsi(text), size), { font, size, color });
  }
}

/** Shortened to the width of its column. */
function shorten(given: string, font: PDFFont, width: number, size = 9): string {
  const text = toWinAnsi(given);
  if (font.widthOfTextAtSize(text, size) <= width) return text;
  let length = text.length;
  while (length > 0 && font.widthOfTextAtSize(`${text.slice(0, length)}...`, size) > width) length -= 1;
  return `${text.slice(0, length).trimEnd()}...`;
}

/**
 * A PDF of ASCII characters alone. API Gateway passes on bytes only where `Accept` names their type
 * first, and else their base64; text it always passes on.
 */
async function asAscii(document: PDFDocument): Promise<string> {
  await document.flush();
  const { context } = document;
  context.trailerInfo.ID = undefined;
  for (const [reference, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFStream)) continue;
    const { dict } = object;
    const filter = dict.get(PDFName.of("Filter"));
    dict.set(
      PDFName.of("Filter"),
      context.obj(filter ? [PDFName.of("ASCIIHexDecode"), filter] : [PDFName.of("ASCIIHexDecode")]),
    );
    const digits = `${Buffer.from(object.getContents()).toString("hex")}>`;
    context.assign(reference, PDFRawStream.of(dict, Buffer.from(digits, "ascii")));
  }
  const bytes = await document.save({ useObjectStreams: false, addDefaultPage: false });
  return Buffer.from(bytes)
    .toString("latin1")
    .replace(/^(%PDF-\d\.\d\n)%.{4}/s, "$1%text");
}

/** What WinAnsi (code page 1252) has above 0x7f beside Latin-1. */
const others = new Set("€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ");

/** Latin letters that have no decomposition. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ł: "l", Ł: "L", đ: "d", Đ: "D", ħ: "h", Ħ: "H", ı: "i", ŧ: "t", Ŧ: "T", ŋ: "n", Ŋ: "N" },
};

/** The text in the characters of the standard fonts: other Latin letters lose their accents. */
function toWinAnsi(text: string): string {
  return [...text.normalize("NFC")].map(toCharacter).join("");
}

function toCharacter(character: string): string {
  if (isKnown(character)) return character;
  const [base = ""] = character.normalize("NFKD");
  const plain = plainLetters[base] ?? base;
  return isKnown(plain) ? plain : "?";
}

function isKnown(character: string): boolean {
  return /^[\x20-\x7e\xa0-\xff]$/.test(character) || others.has(character);
}
