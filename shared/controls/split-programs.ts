import { BoundedMap } from "../platform/bounded-map.ts";
import { randomInteger } from "../platform/id.ts";
import type { Release, Usage } from "./usage.ts";

/** A part that an event of this process counts in. */
export interface TakenPart {
  readonly part: number;
  readonly layoutId: number;
  /** As this process knows it, or as it was laid out, unless another write came between. */
  readonly usage: Usage | undefined;
  readonly release: Release;
}

/** What this process knows of a Program whose usage is split. */
class SplitProgram {
  readonly layoutId: number;
  /** The best first: a process keeps to its parts, so that processes soon use different ones. */
  #parts: number[];
  readonly #taken = new Set<number>();
  /** Undefined where a part must be read. */
  readonly #known = new Map<number, Usage | undefined>();
  /** What all parts but the first are laid out as. */
  #laidOut: Usage | undefined;

  constructor(layoutId: number, parts: number) {
    this.layoutId = layoutId;
    this.#parts = shuffle(Array.from({ length: parts }, (_, part) => part));
  }

  learn(part: number, usage: Usage): void {
    if (!usage.closed) this.#known.set(part, usage);
    if (part > 0 && usage.version === this.layoutId) this.#laidOut ??= usage;
  }

  take(): TakenPart {
    const free = this.#parts.find((part) => !this.#taken.has(part));
    const part = free ?? this.#parts[randomInteger(0, this.#parts.length)] ?? 0;
    this.#taken.add(part);
    const usage = this.#known.has(part) ? this.#known.get(part) : this.#untouched(part);
    const release: Release = ({ written, isLost } = {}) => {
      this.#taken.delete(part);
      if (!written && !isLost) return;
      const others = this.#parts.filter((other) => other !== part);
      this.#parts = written ? [part, ...others] : [...others, part];
      this.#known.set(part, written);
    };
    return { part, layoutId: this.layoutId, usage, release };
  }

  /** Where another process has written it, the condition on its version fails, and returns it. */
  #untouched(part: number): Usage | undefined {
    return part > 0 ? this.#laidOut : undefined;
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

/** A part as it was read or laid out last. Without one, the usage is not split. */
export function learnSplit(programId: string, part = 0, usage?: Usage): void {
  const { split } = usage ?? {};
  if (!usage || !split) {
    splitPrograms.delete(programId);
    return;
  }
  const known = splitPrograms.get(programId);
  const program = known?.layoutId === split.id ? known : new SplitProgram(split.id, split.parts);
  if (program !== known) splitPrograms.set(programId, program);
  program.learn(part, usage);
}

function shuffle(parts: readonly number[]): number[] {
  return parts
    .map((part) => ({ part, place: randomInteger(0, 2 ** 32) }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ part }) => part);
}
