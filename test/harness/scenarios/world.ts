import { deepStrictEqual } from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { GivenProgram } from "../given-cards.ts";
import type { Answer } from "../replay.ts";

/** What a scenario has come to. */
export interface World {
  readonly program: GivenProgram;
  readonly others: Readonly<Record<string, GivenProgram>>;
  /** What each step was answered, by its name, and each field of all answers, the newest. */
  readonly names: Record<string, unknown>;
  readonly deeds: Readonly<Record<string, Deed>>;
  /** The events of the last step. */
  told: readonly { readonly kind: string; readonly detail: unknown }[];
}

/** What a step came to: `200`, the code of an error, the outcome of an event. */
export interface Outcome {
  readonly word: string;
  readonly isDone: boolean;
  readonly data?: unknown;
  readonly answer?: Answer;
}

/** Something that happens, and the words behind its own. */
export type Deed = (world: World, text: string) => Promise<Outcome>;

/** The value of `cardId`, of `A.cardId`, or of the last four characters of one: `A.number:-4`. */
export function find({ names }: World, name: string): unknown {
  const [place = "", from] = name.split(":");
  const value = place.split(".").reduce<unknown>((of, key) => (of as Record<string, unknown>)?.[key], names);
  if (value === undefined) throw new Error(`Nothing is called ${name}.`);
  return from ? String(value).slice(Number(from)) : value;
}

/** A text with what is named in braces. */
export function fill(world: World, text: string): string {
  const whole = text.replace(/"\{([A-Za-z][\w.:-]*)\}"(?!:)/g, (_, name: string) =>
    JSON.stringify(find(world, name)),
  );
  return whole.replace(/\{([A-Za-z][\w.:-]*)\}/g, (_, name: string) => String(find(world, name)));
}

export function toJson(world: World, text: string) {
  return JSON.parse(fill(world, text));
}

/**
 * Whether it has what is expected: of objects the named fields, or where it is exact no others,
 * of arrays as many elements. Of texts, `-` is none, `*` any value, and `~` begins a regular
 * expression.
 */
export function expectLike(actual: unknown, expected: unknown, isExact = false): void {
  deepStrictEqual(project(actual, expected, isExact), expected);
}

export function isLike(actual: unknown, expected: unknown): boolean {
  return isDeepStrictEqual(project(actual, expected, false), expected);
}

/** What is expected where that is so, and what there is elsewhere. */
function project(actual: unknown, expected: unknown, isExact: boolean): unknown {
  if (expected === "-") return actual === undefined ? "-" : actual;
  if (expected === "*") return actual === undefined ? actual : "*";
  if (typeof expected === "string" && expected.startsWith("~"))
    return new RegExp(expected.slice(1)).test(String(actual)) ? expected : actual;
  if (Array.isArray(expected) && Array.isArray(actual))
    return actual.map((one, index) =>
      index < expected.length ? project(one, expected[index], isExact) : one,
    );
  if (isRecord(expected) && isRecord(actual))
    return Object.fromEntries(
      Object.keys(isExact ? { ...expected, ...actual } : expected).map((key) => [
        key,
        Object.hasOwn(expected, key) ? project(actual[key], expected[key], isExact) : actual[key],
      ]),
    );
  return actual;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
