import { BoundedMap } from "../../platform/bounded-map.ts";
import { randomInteger } from "../../platform/id.ts";
import type { Split, Usage } from "./usage.ts";

/** A part that an event of this process counts in. */
export interface TakenPart {
  readonly part: number;
  /** As this process wrote it last, unless another write came between. */
  readonly usage: Usage | undefined;
  /** With what was written, if it was. */
  readonly release: (written?: Usage) => void;
}

/** What this process knows of a Program whose usage is split. */
class SplitProgram {
  readonly layoutId: number;
  /** The best first: a process keeps to its parts, so that processes soon use different ones. */
  #parts: number[];
  readonly #taken = new Set<number>();
  readonly #known = new Map<number, Usage>();

  constructor({ id, parts }: Split) {
    this.layoutId = id;
    this.#parts = shuffle(Array.from({ length: parts }, (_, part) => part));
  }

  take(): TakenPart {
    const free = this.#parts.find((part) => !this.#taken.has(part));
    const part = free ?? this.#parts[randomInteger(0, this.#parts.length)] ?? 0;
    this.#taken.add(part);
    const release = (written?: Usage) => {
      this.#taken.delete(part);
      const others = this.#parts.filter((other) => other !== part);
      this.#parts = written ? [part, ...others] : [...others, part];
      if (written) this.#known.set(part, written);
      else this.#known.delete(part);
    };
    return { part, usage: this.#known.get(part), release };
  }
}

/** By the Program's id. */
const splitPrograms = new BoundedMap<string, SplitProgram>(200);

/** As far as this process knows. */
export function isSplit(programId: string): boolean {
  return splitPrograms.get(programId) !== undefined;
}

/** Undefined if the Program's usage is not split, as far as this process knows. */
export function takePart(programId: string): TakenPart | undefined {
  return splitPrograms.get(programId)?.take();
}

/** What was read or written last. */
export function learnSplit(programId: string, split: Split | undefined): void {
  if (!split) splitPrograms.delete(programId);
  else if (splitPrograms.get(programId)?.layoutId !== split.id)
    splitPrograms.set(programId, new SplitProgram(split));
}

function shuffle(parts: readonly number[]): number[] {
  return parts
    .map((part) => ({ part, place: randomInteger(0, 2 ** 32) }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ part }) => part);
}
