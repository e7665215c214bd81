/** ISO 4217: the currencies whose amounts have no decimals, and those with three. */
const withoutDecimals = "108 152 174 262 324 352 392 410 548 600 646 704 800 940 950 952 953";
const withThreeDecimals = "048 368 400 414 434 512 788";

/** A network's amount in hundredths, as the platform has amounts of merchants. */
export function toHundredths(amount: number, currency: string | undefined): number {
  if (currency !== undefined && withoutDecimals.split(" ").includes(currency)) return amount * 100;
  if (currency !== undefined && withThreeDecimals.split(" ").includes(currency))
    return Math.round(amount / 10);
  return amount;
}
