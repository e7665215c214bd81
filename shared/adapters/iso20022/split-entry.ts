import { toMinorUnits } from "../minor-units.ts";
import { type Element, findAll, findFirst, textAt } from "./read-xml.ts";

export interface Money {
  readonly amount: number;
  readonly currency: string;
}

/** Where banks write what a payment moved, the surest first. */
const sources = [
  ["Amt"],
  ...["TxAmt", "CntrValAmt", "InstdAmt", "AnncdPstngAmt", "PrtryAmt"].map((name) => ["AmtDtls", name, "Amt"]),
] as const;

/**
 * How an entry's amount divides among its details, to its last cent: by their amounts in its
 * currency, or what charges leave of them. Otherwise why it cannot be told.
 */
export function splitEntry(
  entry: Element,
  details: readonly Element[],
  { amount: total, currency }: Money,
): readonly number[] | string {
  const counted = findAll(entry, "NtryDtls", "Btch", "NbOfTxs").map(({ text }) => Number(text));
  const payments = counted.reduce((sum, count) => sum + count, 0);
  if (payments > Math.max(details.length, 1))
    return `It is of ${payments} payments, but has the details of ${details.length}.`;
  if (details.length === 0) return [total];
  const directions = new Set(details.map((detail) => textAt(detail, "CdtDbtInd")).filter((one) => one));
  if (directions.size > 1) return "It has details of both directions.";
  const [only] = details;
  const charges = details.map((detail) => chargesOf(detail, currency));
  if (only && details.length === 1) {
    const found = amountsIn(only, currency).filter((one) => one !== undefined);
    const kept = (charges[0] ?? 0) + chargesOf(entry, currency);
    const isExplained = found.some((one) => one === total || one - kept === total);
    return found.length === 0 || isExplained ? [total] : "Its detail has another amount.";
  }
  const found = details.map((detail) => amountsIn(detail, currency));
  const ways = [
    found.map((amounts) => amounts.find((one) => one !== undefined)),
    ...sources.map((_, source) => found.map((amounts) => amounts[source])),
  ];
  for (const way of ways) {
    const gross = way.map((one) => one ?? Number.NaN);
    const net = gross.map((one, index) => one - (charges[index] ?? 0));
    const fits = [gross, net].find((amounts) => isSumOf(amounts, total));
    if (fits) return fits;
  }
  return "The amounts of its details do not add up to it.";
}

function isSumOf(amounts: readonly number[], total: number): boolean {
  return amounts.every((one) => one >= 0) && amounts.reduce((sum, one) => sum + one, 0) === total;
}

/** One for each source: none in another currency, `NaN` for what is no amount. */
function amountsIn(detail: Element, currency: string): (number | undefined)[] {
  return sources.map((path) => {
    const found = findAll(detail, ...path).find(({ attributes }) => attributes.Ccy === currency);
    return found && toMinor(found);
  });
}

/** What charges take off: those that the bank gives back are less than nothing. */
function chargesOf(element: Element, currency: string): number {
  const charges = findAll(element, "Chrgs").flatMap((one) => {
    const records = findAll(one, "Rcrd");
    return records.length > 0 ? records : [one];
  });
  return charges.reduce((sum, charge) => {
    const amount = findFirst(charge, "Amt") ?? findFirst(charge, "TtlChrgsAndTaxAmt");
    if (amount?.attributes.Ccy !== currency) return sum;
    return sum + (textAt(charge, "CdtDbtInd") === "CRDT" ? -1 : 1) * toMinor(amount);
  }, 0);
}

function toMinor({ text, attributes }: Element): number {
  const decimal = text.trim();
  if (/^\+?0*\.?0*$/.test(decimal) && decimal.includes("0")) return 0;
  return toMinorUnits(decimal, attributes.Ccy ?? "") ?? Number.NaN;
}
