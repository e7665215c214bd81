import * as z from "zod";
import { Counted } from "../../controls/counted-part.ts";
import { countedMinor, type Hold, holds, partsThatCount } from "./hold.ts";

/** What controls have counted of a hold, or of a transaction without one. */
export function countedParts(record: Readonly<Record<string, unknown>>): Counted[] {
  if (record.sk !== "HOLD") return z.array(Counted).parse(record.counted);
  const hold = holds.parse(record);
  return partsThatCount(hold.counted ?? [], countedMinor(hold));
}

/** Ten controls in a hundred periods have as many. A hold is one item of at most 400 KB. */
const mostParts = 1_000;
/** What cannot be declined may still add parts. */
const mostPartsEver = 1_300;
/** Each may be reversed by itself, which the hold has to know. */
const mostIncrements = 1_000;

/** Whether another increment is declined, so that room is left for what cannot be. */
export function takesNoIncrement({ increments = 0, counted = [] }: Hold): boolean {
  return increments >= mostIncrements || counted.length >= mostParts;
}

/** Whether nothing more counts in a period of its own. */
export function takesNoPart(parts: readonly Counted[]): boolean {
  return parts.length >= mostPartsEver;
}

/** What one control counts in one period is one part. `own`: the parts that are new. */
export function addParts(parts: readonly Counted[], added: readonly Counted[]) {
  const all = new Map(parts.map((part) => [periodOf(part), part]));
  const own: Counted[] = [];
  for (const part of added) {
    const before = all.get(periodOf(part));
    if (!before) own.push(part);
    const { amount = 0, count = 0 } = before ?? {};
    all.set(periodOf(part), { ...(before ?? part), amount: part.amount + amount, count: part.count + count });
  }
  return { parts: [...all.values()], own };
}

function periodOf({ controlId, since, from }: Counted): string {
  return `${controlId} ${since} ${from}`;
}
