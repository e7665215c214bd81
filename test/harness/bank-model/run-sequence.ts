import { deepStrictEqual, ok } from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { newId } from "../../../shared/platform/id.ts";
import { killed } from "../killed.ts";
import { type Command, happen, type Model, type Named, name, newModel, replenish, shownBy } from "./model.ts";
import { RealBank } from "./real-bank.ts";

type Step =
  | { readonly step: "one" | "again"; readonly command: Command }
  | { readonly step: "race"; readonly commands: readonly [Command, Command] }
  /** The process ends at one of its writes, and the command is sent again. */
  | { readonly step: "killed"; readonly command: Command; readonly nth: number; readonly isMade: boolean };

interface Options {
  readonly sequences: number;
  readonly lanes: number;
  readonly seed: number;
  readonly done?: () => void;
}

const ownMinor = 400;

/**
 * Runs random sequences of payouts, pulls, what the bank says, Cards that a Wallet pays for, and
 * top-ups against the model and the real engine, `lanes` at a time.
 * @throws Error with the sequence in which the two differ.
 */
export async function proveBankMoney({ sequences, lanes, seed, done }: Options): Promise<void> {
  const given = fc.record({
    walletMinor: fc.integer({ min: 300, max: 3_000 }),
    steps: fc.array(step, { minLength: 100, maxLength: 100 }),
  });
  const lane = (number: number) =>
    fc.assert(
      fc.asyncProperty(given, async ({ walletMinor, steps }) => {
        const real = await RealBank.open(walletMinor, ownMinor);
        let models: readonly Model[] = [newModel(walletMinor, ownMinor)];
        for (const each of steps) models = await take(models, real, each);
        done?.();
      }),
      {
        numRuns: Math.ceil(sequences / lanes),
        seed: seed + number,
        endOnFailure: true,
        includeErrorInReport: true,
      },
    );
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
}

/** The models in which all that has happened can have come out so. */
async function take(models: readonly Model[], real: RealBank, each: Step): Promise<readonly Model[]> {
  const [first] = models;
  ok(first);
  const commands = each.step === "race" ? each.commands : [each.command];
  const named = commands.flatMap((command) => name(first, command, () => newId("event")) ?? []);
  const [one] = named;
  if (!one) return models;
  if (each.step === "killed") await killed(each.nth, each.isMade, () => real.send(one));
  const answers = await Promise.all(named.map((command) => real.send(command)));
  // Its sender has lost the answer.
  if (each.step === "again" && hasKey(one)) deepStrictEqual(await real.send(one), answers[0]);
  if (each.step === "killed") await killed(each.nth, each.isMade, () => real.replenish());
  await real.replenish();
  const shown = await real.shown();
  // What a command without a key did before a kill, it does not do again.
  const isCompared = each.step !== "killed" || hasKey(one);
  const orders = [named, named.toReversed()].slice(0, named.length);
  const possible = models.flatMap((model) => orders.map((order) => inOrder(model, named, order)));
  const agreeing = possible.filter(
    ({ after, answers: expected }) =>
      (!isCompared || isDeepStrictEqual(expected, answers)) && isDeepStrictEqual(shownBy(after), shown),
  );
  const [nearest] = possible;
  if (agreeing.length === 0 && nearest) {
    const expected = { each, answers: nearest.answers, shown: shownBy(nearest.after) };
    deepStrictEqual({ each, answers, shown }, expected);
  }
  const after = agreeing.map((all) => all.after);
  // What came to the same in both orders is one model: else they would double with each race.
  const isFirst = (model: Model, index: number) =>
    after.findIndex((other) => isDeepStrictEqual(sorted(other), sorted(model))) === index;
  return after.filter(isFirst);
}

function inOrder(model: Model, named: readonly Named[], order: readonly Named[]) {
  const after = structuredClone(model);
  const said = new Map(order.map((one) => [one, happen(after, one)]));
  replenish(after);
  return { after, answers: named.map((one) => said.get(one)) };
}

/** Whichever was created first. */
function sorted(model: Model): Model {
  const byKey = (one: { readonly key: string }, other: { readonly key: string }) =>
    one.key < other.key ? -1 : 1;
  return { ...model, payments: model.payments.toSorted(byKey), mandates: model.mandates.toSorted(byKey) };
}

const keyless: ReadonlySet<Command["do"]> = new Set([
  ...(["send", "clear", "report", "fund", "sign", "end", "verify", "confirm"] as const),
]);
const hasKey = ({ command }: Named) => !keyless.has(command.do);

const amount = fc.integer({ min: 1, max: 400 });
const nth = fc.nat({ max: 1_000 });
/** Most are of the first one, so that payments come after one another. */
const account = fc.constantFrom(0, 0, 0, 1, 2);
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("payout" as const, "pull" as const), amount, account }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("sign", "end", "verify", "verify", "confirm"), account }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...([
          "approve",
          "approve",
          "cancel",
          "decline",
          "clear",
          "clear",
          "clear",
          "clear",
          "send",
          "send",
          "send",
          "send",
          "send",
          "send",
        ] as const),
      ),
      nth,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      ...{ do: fc.constant("report" as const), nth },
      said: fc.constantFrom(
        ...([
          "accepted",
          "completed",
          "collected",
          "collected",
          "collected",
          "rejected",
          "returned",
        ] as const),
      ),
      amount: fc.option(amount, { nil: undefined, freq: 2 }),
      entry: fc.constantFrom(undefined, "A", "B", "C"),
      reason: fc.constantFrom(...(["MS03", "MS03", "MS03", "MS03", "MD01", "AC04"] as const)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("spend" as const),
      card: fc.constantFrom("funded" as const, "toppedUp" as const),
      amount: fc.integer({ min: 1, max: 150 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("authorize" as const), amount }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("release" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ do: fc.constant("fund" as const), isByWallet: fc.boolean() },
      limit: fc.option(fc.integer({ min: 200, max: 2_000 }), { nil: undefined, freq: 2 }),
    }),
  },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ step: fc.constantFrom("one" as const, "again" as const), command }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ step: fc.constant("killed" as const), command },
      ...{ nth: fc.nat({ max: 2 }), isMade: fc.boolean() },
    }),
  },
  // Two messages of the bank about one payment at once, or the same one twice.
  {
    weight: 6,
    arbitrary: fc
      .tuple(command, command, fc.boolean(), fc.boolean())
      .map(([one, other, isOne, isSame]): Step => {
        const named = isOne && "nth" in one && "nth" in other ? { ...other, nth: one.nth } : other;
        return { step: "race", commands: [one, isSame && one.do === "report" ? one : named] };
      }),
  },
);
