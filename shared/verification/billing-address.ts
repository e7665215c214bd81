import type { BillingAddress, CheckResult } from "../contract/verification.ts";

/** The Cardholder's, as far as it is compared. */
interface KnownAddress {
  readonly line1: string;
  readonly postalCode?: string | undefined;
  readonly country: string;
}

/** Networks send lines of that length, cut from longer ones. */
const shortestCut = 20;

/** Compares what a merchant sent with the Cardholder's address at this moment. */
export function compareBillingAddress(
  sent: BillingAddress | undefined,
  known: KnownAddress | undefined,
): { readonly addressLine: CheckResult; readonly postalCode: CheckResult } {
  const isUs = known?.country === "US";
  const toCode = (code: string) => (isUs ? plain(code).slice(0, 5) : plain(code));
  const line = sent?.line1;
  const cut =
    line !== undefined && line.length >= shortestCut ? known?.line1.slice(0, line.length) : undefined;
  const wholeOrCut = cut !== undefined && toLine(cut) === toLine(line ?? "") ? cut : known?.line1;
  return {
    addressLine: compare(line, wholeOrCut, sent?.isHouseNumber ? toHouseNumber : toLine),
    postalCode: compare(sent?.postalCode, known?.postalCode, toCode),
  };
}

function compare(sent: string | undefined, known: string | undefined, normalize: (value: string) => string) {
  if (sent === undefined) return "not_present";
  if (known === undefined) return "not_checked";
  return normalize(sent) === normalize(known) ? "match" : "mismatch";
}

/** The digits of a line; of a line without any, its letters. */
function toLine(line: string): string {
  return line.replace(/\D/g, "") || plain(line);
}

/** The first digits that stand together, five at most. A line without any has none. */
function toHouseNumber(line: string): string {
  return /\d{1,5}/.exec(line)?.[0] ?? "";
}

function plain(value: string): string {
  return value.replace(/[^\p{L}\p{N}]/gu, "").toUpperCase();
}
