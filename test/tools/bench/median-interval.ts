export interface Interval {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

const mostOutside = 0.05;

/**
 * The median of what the values are a sample of lies between two of them with 95 %, if there are at
 * least six: each value is below it with the chance of a coin. With fewer, between the outermost.
 */
export function medianInterval(values: readonly number[]): Interval {
  const sorted = values.toSorted((left, right) => left - right);
  const { length } = sorted;
  const at = (index: number) => sorted[index] ?? Number.NaN;
  let index = 0;
  let below = 0.5 ** length;
  let next = below;
  for (;;) {
    next *= (length - index) / (index + 1);
    if (2 * (below + next) > mostOutside) break;
    below += next;
    index += 1;
  }
  const middle = (length - 1) / 2;
  const median = (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
  return { median, low: at(index), high: at(length - 1 - index) };
}
