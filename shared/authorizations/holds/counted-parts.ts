import * as z from "zod";
import { Counted } from "../../transactions/transaction.ts";
import { type Hold, holds } from "./hold.ts";
import { heldWithoutFeesMinor } from "./hold-rules.ts";

/** What an authorization counts for in the usage of controls: its hold and its settlements. */
export function countedMinor(hold: Hold): number {
  return heldWithoutFeesMinor(hold) + hold.clearedMinor;
}

/** An authorization of which nothing is left does not count as one either. */
export function partsThatCount(parts: readonly Counted[], countedMinor: number): Counted[] {
  return parts.map((part) => (countedMinor > 0 ? part : { ...part, count: 0 }));
}

/** What controls have counted of a hold, or of a transaction without one. */
export function countedParts(record: Readonly<Record<string, unknown>>): Counted[] {
  if (record.sk !== "HOLD") return z.array(Counted).parse(record.counted);
  const hold = holds.parse(record);
  return partsThatCount(hold.counted ?? [], countedMinor(hold));
}

/** What cannot be declined may still add parts. */
const mostPartsEver = 1_300;

/** Whether nothing more counts in a period of its own. */
export function takesNoPart(parts: readonly Counted[]): boolean {
  return parts.length >= mostPartsEver;
}

/** What one control counts in one period is one part. `own`: the parts that are new. */
export function addParts(parts: readonly Counted[], added: readonly Counted[]) {
  const all = new Map(parts.map((part) => [toPeriodName(part), part]));
  const own: Counted[] = [];
  for (const part of added) {
    const before = all.get(toPeriodName(part));
    if (!before) own.push(part);
    const { amount = 0, count = 0 } = before ?? {};
    all.set(toPeriodName(part), {
      ...(before ?? part),
      amount: part.amount + amount,
      count: part.count + count,
    });
  }
  return { parts: [...all.values()], own };
}

function toPeriodName({ controlId, since, from }: Counted): string {
  return `${controlId} ${since} ${from}`;
}
