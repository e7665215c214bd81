import { randomInteger } from "../../platform/id.ts";

/** What the available balance of each part changes by. */
export type Draw = ReadonlyMap<string, number>;

/**
 * Takes an amount from a part of a Wallet that lacks it, with what other parts have; undefined if
 * all of them lack it. Brings half of another part's balance along if one other part suffices.
 */
export function planDraw(
  available: ReadonlyMap<string, number>,
  home: string,
  amountMinor: number,
): Draw | undefined {
  const homeMinor = available.get(home) ?? 0;
  const missingMinor = amountMinor - homeMinor;
  if (missingMinor <= 0) return new Map([[home, -amountMinor]]);
  const others = [...available].filter(([part, minor]) => part !== home && minor > 0);
  const rich = others.filter(([, minor]) => minor >= missingMinor);
  // Not the richest: all that lack money would meet there.
  const chosen = rich[rich.length > 0 ? randomInteger(0, rich.length) : 0];
  if (chosen) {
    const [part, minor] = chosen;
    const movedMinor = missingMinor + Math.floor((minor - missingMinor) / 2);
    return withoutZeros([
      [part, -movedMinor],
      [home, movedMinor - amountMinor],
    ]);
  }
  const draw: [string, number][] = [[home, -homeMinor]];
  let leftMinor = missingMinor;
  for (const [part, minor] of others.toSorted(([, left], [, right]) => right - left)) {
    if (leftMinor === 0) break;
    const takenMinor = Math.min(minor, leftMinor);
    draw.push([part, -takenMinor]);
    leftMinor -= takenMinor;
  }
  return leftMinor === 0 ? withoutZeros(draw) : undefined;
}

function withoutZeros(draw: readonly (readonly [string, number])[]): Draw {
  return new Map(draw.filter(([, deltaMinor]) => deltaMinor !== 0));
}
