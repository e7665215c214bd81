/** Chance that can be repeated: the same seed throws the same dice. */
export interface Dice {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** An integer from 0 up to, not including, `sides`. */
  roll(sides: number): number;
  /** One of the choices. */
  pick<T>(choices: readonly T[]): T;
  /** Whether something of this probability comes about. */
  chance(probability: number): boolean;
}

/** Mulberry32. */
export function dice(seed: number): Dice {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const roll = (sides: number) => Math.floor(next() * sides);
  return {
    next,
    roll,
    pick: (choices) => choices[roll(choices.length)] as (typeof choices)[number],
    chance: (probability) => next() < probability,
  };
}
