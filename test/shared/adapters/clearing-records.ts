/** Builds clearing files. Every field has a value that fits. */
const defaults = {
  cardNumber: "4000001234567899",
  direction: "D",
  extent: "F",
  amount: 1000,
  currency: "840",
  srcAmount: 1000,
  srcCurrency: "840",
  retrievalReference: "",
  systemTrace: "",
  acquirer: "",
  transmittedAt: "",
  mcc: "5411",
  merchant: "CORNER SHOP",
  city: "LONDON",
  country: "GB",
  interchange: "",
};

export type Cleared = Partial<typeof defaults> & { readonly referenceCode: string };

const left = (text: string, length: number) => text.padEnd(length);
const right = (number: number | bigint, length: number) => String(number).padStart(length, "0");

export function detailOf(number: number, given: Cleared): string {
  const one = { ...defaults, ...given };
  return [
    `DET${right(number, 8)}${left(one.cardNumber, 19)}${one.direction}${one.extent}`,
    right(one.amount, 12) + left(one.currency, 3) + right(one.srcAmount, 12) + left(one.srcCurrency, 3),
    left(one.retrievalReference, 12) + left(one.systemTrace, 6) + left(one.acquirer, 11),
    left(one.transmittedAt, 10) + left(one.referenceCode, 23) + left(one.mcc, 4),
    left(one.merchant, 22) + left(one.city, 13) + left(one.country, 2) + one.interchange,
  ]
    .join("")
    .padEnd(200);
}

export const headerOf = (fileId: string, date = "20261123") => `HDR${left(fileId, 25)}${date}`.padEnd(200);

export const trailerOf = (count: number, sum: number | bigint) =>
  `TRL${right(count, 8)}${right(sum, 16)}`.padEnd(200);

export const fileOf = (...records: readonly string[]) => records.map((one) => `${one}\n`).join("");

export function clearingFileOf(fileId: string, ...records: readonly Cleared[]): string {
  const sum = records.reduce((total, { amount = defaults.amount }) => total + amount, 0);
  const details = records.map((one, index) => detailOf(index + 1, one));
  return fileOf(headerOf(fileId), ...details, trailerOf(records.length, sum));
}
