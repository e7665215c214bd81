/** A text; or a number of ours, which stays one for spreadsheets, also if it is negative. */
export type Cell = string | number | { readonly figure: string };

/** A record of RFC 4180. */
export function toCsvRow(cells: readonly Cell[]): string {
  return `${cells.map(toField).join(",")}\r\n`;
}

function toField(cell: Cell): string {
  if (typeof cell !== "string") return typeof cell === "number" ? String(cell) : cell.figure;
  const text = guard(cell);
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Where a cell begins, also in a spreadsheet that parts lines at semicolons or tabs and then does
 * not know our quotes, and a sign of a formula, or one that looks like it, comes before any letter
 * or digit. What cannot be seen is neither, even where Unicode counts it as a letter. No character
 * matches both ways: a text of many would be tried in all their combinations.
 */
const formula =
  /(?:^|(?<=[,;|\t\n]|\r(?!\n)))(?=(?:(?!\p{Default_Ignorable_Code_Point})[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point})*[=＝﹦⁼₌+＋﹢⁺₊﬩@＠﹫\p{Pd}−⁻₋])/gu;

/** Puts an apostrophe in front of what could become a formula. */
function guard(text: string): string {
  return text.replace(formula, "'");
}
