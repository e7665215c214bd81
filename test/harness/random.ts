import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** Random choices that the same seed repeats. */
export interface Random {
  /** From 0 up to, not including, 1. */
  fraction(): number;
  /** An integer from 0 up to, not including, `end`. */
  below(end: number): number;
  pick<T>(choices: readonly T[]): T;
  /** True with this probability. */
  chance(probability: number): boolean;
  shuffle<T>(items: readonly T[]): T[];
}

export function randomFrom(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  const fraction = () => uniformFloat64(generator);
  const below = (end: number) => uniformInt(generator, 0, end - 1);
  return {
    fraction,
    below,
    pick: (choices) => choices[below(choices.length)] as (typeof choices)[number],
    chance: (probability) => fraction() < probability,
    shuffle: (items) =>
      items
        .map((item) => ({ item, place: fraction() }))
        .toSorted((left, right) => left.place - right.place)
        .map(({ item }) => item),
  };
}

/** A seed that differs each time; print it, so that the run can be repeated. */
export function someSeed(): number {
  return Date.now() % 1_000_000_000;
}
