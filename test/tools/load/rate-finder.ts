/** A rate that was tried, and whether every limit was kept. */
export interface Tried {
  readonly rate: number;
  readonly isKept: boolean;
}

export interface Found {
  /** The highest rate that kept every limit. */
  readonly kept?: number | undefined;
  /** The lowest rate above it that left one. */
  readonly left?: number | undefined;
}

const factor = 2;
const precision = 1.15;
const lowestRate = 1;
/** Below the demo Program's rate limits of 5,000 requests a second, so that none answers 429. */
export const highestRate = 4_000;

/**
 * The next rate to try: doubles until a limit is left, then halves the interval. A rate must leave
 * a limit twice, because other work of the machine may spoil one try. Undefined when it is found.
 */
export function nextRate(tried: readonly Tried[], startRate: number): number | undefined {
  const last = tried.at(-1);
  if (last === undefined) return startRate;
  if (!last.isKept && timesLeft(tried, last.rate) === 1) return last.rate;
  const { kept, left } = foundRate(tried);
  if (left === undefined) return kept === highestRate ? undefined : Math.min(last.rate * factor, highestRate);
  if (kept === undefined) return left <= lowestRate ? undefined : Math.max(lowestRate, left / factor);
  return left / kept <= precision ? undefined : Number(Math.sqrt(kept * left).toPrecision(3));
}

export function foundRate(tried: readonly Tried[]): Found {
  const leftRates = tried.map(({ rate }) => rate).filter((rate) => timesLeft(tried, rate) > 1);
  const left = leftRates.length > 0 ? Math.min(...leftRates) : undefined;
  const keptRates = tried.filter(({ rate, isKept }) => isKept && rate < (left ?? Number.POSITIVE_INFINITY));
  const kept = keptRates.length > 0 ? Math.max(...keptRates.map(({ rate }) => rate)) : undefined;
  return { kept, left };
}

function timesLeft(tried: readonly Tried[], rate: number): number {
  return tried.filter((one) => one.rate === rate && !one.isKept).length;
}
