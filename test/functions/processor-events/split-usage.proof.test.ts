import { deepStrictEqual, ok } from "node:assert/strict";
import { afterEach, describe, expect, it } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { rejectOverlaps } from "../../harness/conflicts.ts";
import { givenSplitProgram } from "../../harness/given-split-program.ts";
import { type Random, randomFrom, someSeed } from "../../harness/random.ts";

const lanes = 12;
const eventsOfLane = 40;
const limit = 20_000;

/** What an event added to the usage, or took from it, some time between two moments. */
interface Change {
  readonly from: number;
  until: number;
  /** The greatest it can be, until it is answered. */
  amount: number;
}

/** Kills the process that makes some calls: before they arrive, or before their answer does. */
function killSome(random: Random) {
  const state = { isOn: true, kills: 0 };
  table.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        const isWrite = /^(TransactWrite|Update)/.test(commandName);
        const dies = state.isOn && isWrite && random.chance(commandName.startsWith("Update") ? 0.005 : 0.02);
        if (dies) state.kills += 1;
        if (dies && random.chance(0.5)) throw new Error("Killed before a write.");
        const answer = await next(args);
        if (dies) throw new Error("Killed after a write.");
        return answer;
      },
    { step: "initialize", name: "kills" },
  );
  return Object.assign(state, { [Symbol.dispose]: () => void table.middlewareStack.remove("kills") });
}

async function run(seed: number, window: "lifetime" | "PT10M"): Promise<{ kills: number; declines: number }> {
  const random = randomFrom(seed);
  const given = await givenSplitProgram({ amount: limit, window }, lanes);
  const changes: Change[] = [];
  let steps = 0;
  const nextStep = () => {
    steps += 1;
    return steps;
  };
  let declines = 0;

  /** Sends the event until it is answered, as the network does, and judges the answer. */
  const happen = async (event: object, asked: number, change: (answer: Answer) => number) => {
    const record: Change = { from: nextStep(), until: Number.POSITIVE_INFINITY, amount: asked };
    changes.push(record);
    const whole = { eventId: newId("event"), ...event };
    let answer: Answer | undefined;
    while (!answer) answer = await given.send(whole).catch(() => undefined);
    record.until = nextStep();
    record.amount = change(answer);
    return { answer, record };
  };

  const authorize = async (event: object, asked: number): Promise<boolean> => {
    const { answer, record } = await happen(event, asked, ({ approved }) => (approved ? asked : 0));
    const others = changes.filter((other) => other !== record);
    const before = (other: Change) => other.until < record.from;
    const isAlready = (other: Change) => other.from < record.until;
    const total = (takes: (other: Change) => boolean, gives: (other: Change) => boolean) =>
      others.reduce((sum, other) => sum + ((other.amount > 0 ? takes : gives)(other) ? other.amount : 0), 0);
    if (answer.approved) {
      const least = total(before, isAlready);
      ok(least + asked <= limit, `Approved ${asked} beside at least ${least}, seed ${seed}.`);
    } else {
      declines += 1;
      expect(answer).toMatchObject({ declineReason: "CONTROL_DECLINED", controlId: given.controlId });
      const most = total(isAlready, before);
      ok(most + asked > limit, `Declined ${asked} beside at most ${most}, seed ${seed}.`);
    }
    return answer.approved === true;
  };

  const lane = async (cardId: string) => {
    for (let n = 0; n < eventsOfLane; n += 1) {
      if (random.chance(0.1)) given.forget();
      if (random.chance(0.03)) await given.split().catch(() => undefined);
      const amount = random.chance(0.1) ? 1 + random.below(limit / 4) : 1 + random.below(200);
      const authorizationId = newId("hold");
      const ofHold = { cardId, authorizationId };
      if (random.chance(0.04)) {
        await happen({ kind: "clearing", cardId, amount, final: true }, amount, () => amount);
        continue;
      }
      if (!(await authorize({ kind: "authorization", ...ofHold, amount }, amount))) continue;
      const isGivenBack = random.chance(0.6);
      if (isGivenBack && random.chance(0.5)) {
        const part = 1 + random.below(amount);
        await happen({ kind: "authorization_reversal", ...ofHold, amount: part }, -part, () => -part);
      } else if (isGivenBack) {
        const cleared = 1 + random.below(amount + 20);
        const change = cleared - amount;
        await happen({ kind: "clearing", ...ofHold, amount: cleared, final: true }, change, () => change);
      }
    }
  };

  using _ = rejectOverlaps();
  using kills = killSome(random);
  await Promise.all(given.cardIds.map(lane));
  kills.isOn = false;
  const used = await given.used();
  expect(used.amount).toBe(changes.reduce((sum, { amount }) => sum + amount, 0));
  deepStrictEqual(await given.listed(), used);
  return { kills: kills.kills, declines };
}

type Answer = Readonly<Record<string, unknown>>;

describe("the usage of a Program's velocity", () => {
  afterEach(() => void table.middlewareStack.remove("kills"));

  it.each(["lifetime", "PT10M"] as const)(
    "of %s is exact while writers of all parts are killed: approves at most the limit, and all of it",
    async (window) => {
      const first = someSeed();
      let [kills, declines] = [0, 0];
      for (let seed = first; seed < first + 4; seed += 1) {
        const done = await run(seed, window);
        kills += done.kills;
        declines += done.declines;
      }
      expect(kills).toBeGreaterThan(0);
      expect(declines).toBeGreaterThan(0);
    },
    180_000,
  );
});
