import type { Ask } from "./ask.ts";
import type { Extent } from "./block-ref.ts";
import { comparePlaces, end, type Place, start } from "./entry.ts";

/** The places that a page lies between, as far as it is known without reading a block. */
export interface Window {
  readonly from: Place;
  readonly to: Place;
}

/**
 * How many records stand before a place is known up to what the blocks around it hold: those that end before it count whole, those that begin before
 * it count something between all their withdrawals and all their additions. The window begins at the last place that surely has no more than
 * `offset` before it, and ends at the first that surely has the whole page. Blocks whose counts are bounds reach from before the first place to behind the last, so
 * that they have always begun and never ended: at the outer places themselves nothing is sure.
 */
export function windowOf(extents: readonly Extent[], { descending, offset, limit }: Ask): Window {
  const froms = extents.toSorted((left, right) => comparePlaces(left.from, right.from));
  const tos = extents.toSorted((left, right) => comparePlaces(left.to, right.to));
  const all = { plus: 0, minus: 0 };
  for (const { plus, minus } of extents) {
    all.plus += plus;
    all.minus += minus;
  }
  let [from, to] = [start, end];
  let isToFound = false;
  const begun = { plus: 0, minus: 0 };
  const ended = { plus: 0, minus: 0 };
  let [nextFrom, nextTo] = [0, 0];
  while (nextFrom < froms.length || nextTo < tos.length) {
    const [opening, closing] = [froms[nextFrom]?.from ?? end, tos[nextTo]?.to ?? end];
    const place = comparePlaces(opening, closing) < 0 ? opening : closing;
    for (let extent = tos[nextTo]; extent && comparePlaces(extent.to, place) <= 0; extent = tos[nextTo]) {
      ended.plus += extent.plus;
      ended.minus += extent.minus;
      nextTo += 1;
    }
    const isOuter = place === start || place === end;
    if (!descending && !isOuter) {
      if (begun.plus - ended.minus <= offset) from = place;
      if (!isToFound && ended.plus - begun.minus >= offset + limit) [to, isToFound] = [place, true];
    }
    if (descending && !isOuter) {
      const most = all.plus - ended.plus - (all.minus - begun.minus);
      const fewest = all.plus - begun.plus - (all.minus - ended.minus);
      if (!isToFound && most <= offset) [to, isToFound] = [place, true];
      if (fewest >= offset + limit) from = place;
    }
    for (
      let extent = froms[nextFrom];
      extent && comparePlaces(extent.from, place) <= 0;
      extent = froms[nextFrom]
    ) {
      begun.plus += extent.plus;
      begun.minus += extent.minus;
      nextFrom += 1;
    }
  }
  return { from, to };
}
