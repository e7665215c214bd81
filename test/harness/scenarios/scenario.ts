import { deepStrictEqual } from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { routes } from "../../../shared/contract/routes.ts";
import { expectBooksInOrder } from "../books.ts";
import { interrupt } from "../faults.ts";
import { ada, givenProgram } from "../given-cards.ts";
import { allStoredItems, eventsIn, storedItems } from "../stored.ts";
import { cardDataDeeds } from "./card-data.ts";
import { checks } from "./checks.ts";
import { deeds, request, setTime } from "./deeds.ts";
import { questionDeeds } from "./questions.ts";
import { relayDeeds } from "./relayed.ts";
import { type Deed, expectLike, fill, isLike, type Outcome, toJson, type World } from "./world.ts";

type Scenario = [sentence: string, steps: string[]];

/**
 * What scenarios are about, and each one: its sentence, and its steps, after those that all of
 * them begin with. Lines that are indented more go on.
 */
export function readScenarios(folder: string, file = "scenarios.txt"): { of: string; rows: Scenario[] }[] {
  const all: { of: string; first: string[]; rows: Scenario[] }[] = [];
  const toSteps = (text: string) => text.split("; ").map((step) => step.trim());
  for (const line of readFileSync(path.join(folder, file), "utf8").split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const { first = [], rows = [] } = all.at(-1) ?? {};
    const [sentence = "", ...rest] = line.trim().split(" | ");
    if (line.startsWith("    ")) (rows.at(-1)?.[1] ?? first).push(...toSteps(line));
    else if (line.startsWith(" ")) rows.push([sentence, [...first, ...rest.flatMap(toSteps)]]);
    else all.push({ of: sentence, first: rest.flatMap(toSteps), rows: [] });
  }
  return all;
}

/**
 * Over the API and the network's events. The books of its Program are in order at the end, and
 * what is refused has changed nothing but the record of its event, unless it ends with `noted`;
 * nor has what ends with `unchanged`.
 * @param own What happens in this folder's scenarios alone.
 */
export async function playScenario(
  _: string,
  steps: readonly string[],
  own: Readonly<Record<string, Deed>> = {},
): Promise<void> {
  expect(steps.length, "A scenario has steps.").toBeGreaterThan(0);
  const [first = ""] = steps;
  const options = /^given program (.*)$/.exec(first)?.[1];
  const [at] = steps.flatMap((step) => (step.startsWith("at ") ? [Date.parse(step.slice(3))] : []));
  // Its Program is older than it, on whatever day it is played.
  if (at) setTime(Math.min(at, Date.parse("2026-12-01T00:00:00Z")));
  const program = await givenProgram(options ? JSON.parse(options) : {});
  const others: World["others"] = steps.some((step) => /\bother\b/.test(step))
    ? { other: await givenProgram() }
    : {};
  const names = { programId: program.programId, ada, other: others.other?.caller };
  const world: World = {
    program,
    others,
    names,
    told: [],
    deeds: { ...deeds, ...questionDeeds, ...cardDataDeeds, ...relayDeeds, ...own },
  };
  for (const step of options ? steps.slice(1) : steps)
    await playBoth(world, step).catch((error) => {
      if (error instanceof Error) error.message = `${step}\n${error.message}`;
      throw error;
    });
  await expectBooksInOrder(program.programId);
}

/**
 * `STEP <- PATTERN OTHER`: the other step is played before the first call of this one that fits,
 * as `TransactWrite.*HOLD` does: its command, then its input.
 */
async function playBoth(world: World, text: string): Promise<void> {
  // The other step is not part of the function whose call it interrupts.
  const outside = AsyncLocalStorage.snapshot();
  const [, step = text, pattern, other = ""] = /^(.*) <- (\S+) (.*)$/.exec(text) ?? [];
  if (pattern === undefined) return play(world, step);
  let played = 0;
  using _ = interrupt(
    (command, input) => new RegExp(pattern).test(`${command} ${input}`),
    async () => {
      await outside(() => play(world, other));
      played += 1;
    },
  );
  await play(world, step);
  expect(played, `No call fits ${pattern}.`).toBe(1);
}

/**
 * `NAME: what happens = what it comes to`. Without the latter, it is done. `one & other`, or
 * `3 x one`, with `#` for the number of each: at once.
 */
async function play(world: World, step: string): Promise<void> {
  const [, name, text = ""] = /^(?:(\w+): )?(.*)$/.exec(step) ?? [];
  const [deed = "", expected] = text.split(/ = (.*)/);
  const [word = ""] = deed.split(" ");
  const check = checks[word];
  if (check) return check(world, deed.slice(word.length + 1));
  const [, times, one = deed] = /^(\d+) x (.*)$/.exec(deed) ?? [];
  const all = times
    ? Array.from({ length: Number(times) }, (_, index) => one.replaceAll("#", `${index + 1}`))
    : deed.split(" & ");
  const { programId } = world.program;
  const before = await storedItems(programId);
  const everything = isWide(deed) ? await allStoredItems() : [];
  const outcomes = await Promise.all(all.map((each) => act(world, each)));
  const after = await storedItems(programId);
  const [outcome] = outcomes;
  if (!outcome) return;
  if (outcomes.length > 1) {
    const found = outcomes.map(({ word: said }) => said.replace(/^rejected: .*/s, "rejected"));
    const words = expected === "any" ? found : (expected?.split(" ") ?? outcomes.map(() => "200"));
    expect(found.toSorted()).toEqual(words.toSorted());
  } else {
    expectOutcome(world, outcome, expected);
    if (isToChangeNothing(outcome, expected)) {
      deepStrictEqual(after.filter(isState), before.filter(isState));
      if (isWide(deed)) deepStrictEqual(await allStoredItems(), everything);
    }
  }
  if (name) world.names[name] = outcome.data;
  const shown = typeof outcome.data === "object" ? (outcome.data ?? {}) : {};
  const fields = Object.entries(shown).filter(([, value]) => typeof value !== "object");
  if (outcome.isDone) Object.assign(world.names, Object.fromEntries(fields));
  world.told = eventsIn(after).slice(eventsIn(before).length);
}

const ofTenants = routes.filter(({ level }) => level === "tenant").map(({ operation }) => operation);

/** Whether it may change both tables: a command of the operator, or what a Tenant does. */
const isWide = (deed: string) =>
  deed.startsWith("operator ") || ofTenants.some((one) => deed.split(" {")[0]?.split(" ").includes(one));

/** Not the record of an event or of its refusal. */
const isState = ({ sk }: { readonly sk: string }) => !/^(EVENT|REFUSED)(#|$)/.test(sk);

function isToChangeNothing({ isDone }: Outcome, expected = ""): boolean {
  return isDone ? expected.endsWith("unchanged") : !expected.endsWith("noted");
}

function act(world: World, deed: string): Promise<Outcome> {
  const [word = ""] = deed.split(" ");
  return world.deeds[word]?.(world, deed.slice(word.length + 1)) ?? request(world, deed);
}

/**
 * `404 NOT_FOUND`, `422 body.amount`, `409 CODE {...}`, JSON, `some {...}` or `none {...}` of a
 * list, the name of an earlier answer, or a word.
 */
function expectOutcome(world: World, { word, isDone, data, answer }: Outcome, expected?: string): void {
  const text = expected?.replace(/(^|, )(noted|unchanged)$/, "") || undefined;
  const [, status, rest = ""] = /^(\d{3}) (.*)$/.exec(text ?? "") ?? [];
  if (text === undefined)
    expect([isDone, word, data], JSON.stringify(answer?.body)).toEqual([true, word, data]);
  else if (answer && status) expectRefusal(world, answer, Number(status), rest);
  else if (text.startsWith("body ")) expectLike(answer?.body, toJson(world, text.slice(5)));
  else if (text.startsWith("exactly ")) expectLike(data, toJson(world, text.slice(8)), true);
  else if (text.startsWith("any order ")) expectInAnyOrder(data as unknown[], toJson(world, text.slice(10)));
  else if (/^(some|none) /.test(text)) {
    const expectedOne = toJson(world, text.slice(5));
    const isThere = (data as unknown[]).some((one) => isLike(one, expectedOne));
    expect([isThere, data]).toEqual([text.startsWith("some"), data]);
  } else if (/^([[{"]|-?\d+$|true$|false$|null$)/.test(text)) {
    expect(isDone, JSON.stringify(answer?.body ?? data)).toBe(true);
    expectLike(data, toJson(world, text));
  } else if (typeof world.names[text] === "object") expect(data).toEqual(world.names[text]);
  else if (text.startsWith("rejected: ")) expect(word).toContain(text.slice("rejected: ".length));
  else expect(word.replace(/^rejected: .*/s, "rejected")).toBe(text);
}

function expectInAnyOrder(actual: readonly unknown[], expected: readonly unknown[]): void {
  const left = [...actual];
  const missing = expected.filter((one) => {
    const at = left.findIndex((each) => isLike(each, one));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  expect({ left, missing }).toEqual({ left: [], missing: [] });
}

function expectRefusal(
  world: World,
  answer: NonNullable<Outcome["answer"]>,
  status: number,
  rest: string,
): void {
  const { body } = answer;
  const [said = "", more] = fill(world, rest).split(/ (\{.*)/);
  const places = (body.errors ?? []).map(({ path: place }: { path: string }) => place);
  const shown = /^(body|query|path)/.test(said) ? [...new Set(places)].toSorted().join(" ") : body.code;
  expect(`${answer.status} ${shown}`).toBe(`${status} ${said.split(" ").toSorted().join(" ")}`);
  if (more) expectLike(body, JSON.parse(more));
}
