import fc from "fast-check";
import type { Control } from "./card.ts";

/**
 * `slot` names one of a few authorizations, so that their events meet, often out of order; `nth`
 * selects an earlier event, modulo their number.
 */
export type Command =
  | {
      readonly do: "authorization";
      readonly slot: number;
      readonly amount: number;
      readonly supportsPartial: boolean;
      readonly reply: Reply;
    }
  | { readonly do: "increment"; readonly slot: number; readonly amount: number; readonly reply: Reply }
  | {
      readonly do: "advice";
      readonly slot: number;
      readonly amount: number;
      /** `amount` is all that is authorized, instead of what is added. */
      readonly total: boolean;
    }
  | {
      readonly do: "reversal";
      readonly slot: number;
      readonly amount?: number | undefined;
      /** `amount` is what is left, instead of what is released. */
      readonly total: boolean;
    }
  /** Of a withdrawal: all, or down to the amount. */
  | { readonly do: "cashReversal"; readonly cash: number; readonly amount?: number | undefined }
  | { readonly do: "cashClearing"; readonly cash: number; readonly amount: number }
  | { readonly do: "expiry"; readonly slot: number }
  | { readonly do: "deadline"; readonly slot: number }
  | {
      readonly do: "clearing";
      readonly slot: number;
      readonly amount: number;
      readonly final: boolean;
    }
  | { readonly do: "forcePost" | "refund"; readonly amount: number }
  | {
      readonly do: "atm";
      readonly amount: number;
      readonly fee: number;
      readonly advice: boolean;
      /** Of an advice: `amount` is all that is paid out. */
      readonly total?: boolean;
      /** By which a reversal can name it. */
      readonly cash?: number | undefined;
      readonly reply: Reply;
    }
  | { readonly do: "fee"; readonly feeType: 1 | 2 | 3 | 4 | 5; readonly amount: number }
  | {
      readonly do: "refundReversal" | "feeReversal" | "clearDeposit" | "reverseDeposit" | "returnDeposit";
      readonly nth: number;
    }
  | { readonly do: "chargeback"; readonly nth: number; readonly amount?: number | undefined }
  | { readonly do: "outcome"; readonly nth: number; readonly status: 1 | 2 | 3 | 4 | 5 }
  | { readonly do: "deposit"; readonly amount: number; readonly pending: boolean }
  | { readonly do: "inquiry" }
  /** Divides the usage of the Program's controls anew, as contention would. */
  | { readonly do: "split"; readonly room: number }
  | { readonly do: "status"; readonly to: 1 | 2 }
  | { readonly do: "block"; readonly blocked: boolean };

/** What the receiver answers, where the Program has one. */
export type Reply = "approve" | "part" | "decline" | "timeout" | "connection_error" | "bad_answer";

/** A command: single, delivered twice, racing another, or a repetition of an earlier one. */
export type Step =
  | { readonly step: "one" | "twice"; readonly command: Command }
  | { readonly step: "race"; readonly commands: readonly [Command, Command] }
  | { readonly step: "repeat"; readonly nth: number }
  | Question;

/** Asked about, and not decided while other commands are carried out. */
export interface Question {
  readonly step: "question";
  readonly command: Extract<Command, { do: "authorization" | "increment" | "atm" }>;
  readonly meanwhile: readonly Command[];
  /** Repetitions that wait for its answer. */
  readonly repetitions: number;
  /** `lapse`: the sweep comes first. `kill`: its process ends before the answer. */
  readonly end: "answer" | "lapse" | "kill";
}

const amount = fc.integer({ min: 1, max: 400 });
const slot = fc.nat({ max: 4 });
const nth = fc.nat({ max: 1_000 });
const name = <const T extends Command["do"]>(value: T) => fc.constant(value);

const authorizationFields = {
  do: name("authorization"),
  slot,
  amount,
  supportsPartial: fc.boolean(),
  reply: fc.constantFrom<Reply[]>(
    "approve",
    "approve",
    "part",
    "decline",
    "timeout",
    "connection_error",
    "bad_answer",
  ),
};

const { reply } = authorizationFields;
const increment = fc.record({ do: name("increment"), slot, amount, reply });
const cash = fc.nat({ max: 1 });
const withdrawalFields = {
  ...{ do: name("atm"), amount, fee: fc.nat({ max: 20 }), reply },
  cash: fc.option(cash, { nil: undefined, freq: 4 }),
};
const upToAll = fc.option(amount, { nil: undefined });

export const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record(authorizationFields) },
  { weight: 3, arbitrary: increment },
  { weight: 2, arbitrary: fc.record({ do: name("advice"), slot, amount, total: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: name("reversal"), slot, amount: upToAll, total: fc.boolean() }),
  },
  { weight: 5, arbitrary: fc.record({ do: name("cashReversal"), cash, amount: upToAll }) },
  { weight: 2, arbitrary: fc.record({ do: name("cashClearing"), cash, amount }) },
  { weight: 1, arbitrary: fc.record({ do: name("expiry"), slot }) },
  { weight: 1, arbitrary: fc.record({ do: name("deadline"), slot }) },
  { weight: 6, arbitrary: fc.record({ do: name("clearing"), slot, amount, final: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: name("forcePost"), amount }) },
  { weight: 2, arbitrary: fc.record({ do: name("refund"), amount }) },
  { weight: 2, arbitrary: fc.record({ do: name("refundReversal"), nth }) },
  { weight: 3, arbitrary: fc.record({ ...withdrawalFields, advice: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ ...withdrawalFields, cash, advice: fc.constant(true), total: fc.constant(true) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: name("fee"), feeType: fc.constantFrom(1, 2, 3, 4, 5), amount }),
  },
  { weight: 1, arbitrary: fc.record({ do: name("feeReversal"), nth }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: name("chargeback"), nth, amount: fc.option(amount, { nil: undefined }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: name("outcome"), nth, status: fc.constantFrom(1, 2, 3, 4, 5) }),
  },
  { weight: 3, arbitrary: fc.record({ do: name("deposit"), amount, pending: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: name("clearDeposit"), nth }) },
  { weight: 1, arbitrary: fc.record({ do: name("reverseDeposit"), nth }) },
  { weight: 1, arbitrary: fc.record({ do: name("returnDeposit"), nth }) },
  { weight: 1, arbitrary: fc.record({ do: name("inquiry") }) },
  { weight: 1, arbitrary: fc.record({ do: name("split"), room: fc.constantFrom(1, 1, 1, 100_000) }) },
  { weight: 1, arbitrary: fc.record({ do: name("status"), to: fc.constantFrom(1, 2) }) },
  { weight: 1, arbitrary: fc.record({ do: name("block"), blocked: fc.boolean() }) },
);

/** About a small amount. Every other command meanwhile is of the same authorization. */
const question: fc.Arbitrary<Question> = fc.record({
  step: fc.constant("question" as const),
  command: fc.oneof(
    { weight: 3, arbitrary: fc.record({ ...authorizationFields, amount: fc.integer({ min: 1, max: 150 }) }) },
    { weight: 1, arbitrary: increment },
    { weight: 1, arbitrary: fc.record({ ...withdrawalFields, advice: fc.constant(false) }) },
  ),
  meanwhile: fc.array(command, { maxLength: 4 }),
  repetitions: fc.nat({ max: 2 }),
  end: fc.constantFrom("answer", "answer", "lapse", "kill"),
});

/** Gives each question a new authorization. */
function withOwnSlot(step: Step, index: number): Step {
  if (step.step !== "question") return step;
  const { command } = step;
  const ownSlot = 100 + index;
  if (command.do === "atm") {
    const meanwhile = step.meanwhile.map((other, n) =>
      n % 2 === 0 && (other.do === "cashReversal" || other.do === "cashClearing")
        ? { ...other, cash: ownSlot }
        : other,
    );
    return command.cash === undefined ? step : { ...step, command: { ...command, cash: ownSlot }, meanwhile };
  }
  const own = { slot: command.do === "authorization" ? ownSlot : command.slot };
  const meanwhile = step.meanwhile.map((other, n) =>
    n % 2 === 0 && "slot" in other ? { ...other, ...own } : other,
  );
  return { ...step, command: { ...command, ...own }, meanwhile };
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 14, arbitrary: fc.record({ step: fc.constant("one"), command }) },
  { weight: 2, arbitrary: fc.record({ step: fc.constant("twice"), command }) },
  { weight: 3, arbitrary: fc.record({ step: fc.constant("race"), commands: fc.tuple(command, command) }) },
  { weight: 3, arbitrary: fc.record({ step: fc.constant("repeat"), nth }) },
  { weight: 7, arbitrary: question },
);

const eventsInASequence = 60;

const control: fc.Arbitrary<Control> = fc.oneof(
  fc.record({
    owner: fc.constantFrom("program" as const, "cardholder" as const, "card" as const),
    window: fc.constantFrom("lifetime" as const, "year" as const, "P90D" as const),
    amount: fc.integer({ min: 0, max: 3_000 }),
    count: fc.option(fc.nat({ max: 12 }), { nil: undefined }),
  }),
  fc.record({
    owner: fc.constantFrom("program" as const, "card" as const),
    window: fc.constant("authorization" as const),
    amount: fc.integer({ min: 50, max: 600 }),
  }),
);

/** Initial balance, settings of the Program, the controls in force, and the steps. */
export const sequence = fc.record({
  hasReceiver: fc.constantFrom(true, true, false),
  controls: fc.array(control, { maxLength: 2 }),
  openingMinor: fc.nat({ max: 1_500 }),
  partialApproval: fc.boolean(),
  steps: fc
    .array(step, { minLength: eventsInASequence, maxLength: eventsInASequence })
    .map((steps) => upTo(eventsInASequence, steps.map(withOwnSlot))),
});
export type Sequence = typeof sequence extends fc.Arbitrary<infer S> ? S : never;

/** Steps with this number of events: a race and a pair count as two. */
function upTo(events: number, steps: readonly Step[]): Step[] {
  let left = events;
  return steps.filter((one) => {
    left -= one.step === "race" || one.step === "twice" ? 2 : 1;
    if (one.step === "question") left -= one.meanwhile.length;
    return left >= 0;
  });
}
