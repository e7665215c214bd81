import fc from "fast-check";
import type { ChallengeEnd } from "./authentications.ts";
import type { Control } from "./card.ts";
import type { Command, Question, Reply, Step } from "./commands.ts";
import { closedCommand, disputeCommand } from "./dispute-sequences.ts";
import { settledNames } from "./settlements.ts";
import type { TokenStep } from "./wallet-tokens.ts";

/** Most purchases name none. */
const seldom = <T>(named: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: named });
/** Of a plastic or an authentication. */
const place = seldom(fc.nat({ max: 1_000 }));
/** Few, so that purchases meet them. */
const tokenReference = fc.nat({ max: 1 });
const amount = fc.integer({ min: 1, max: 400 });
const slot = fc.nat({ max: 4 });
/** Of authorizations whose totals are dated. */
const dated = fc.integer({ min: 10, max: 11 });
const anySlot = fc.oneof({ weight: 3, arbitrary: slot }, { weight: 1, arbitrary: dated });
const nth = fc.nat({ max: 1_000 });
const name = <const T extends Command["do"]>(value: T) => fc.constant(value);

/** Few, so that settlements meet. Most have none. */
const reference = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.nat({ max: 3 }) },
);

const authorizationFields = {
  do: name("authorization"),
  slot: anySlot,
  amount,
  supportsPartial: fc.boolean(),
  plastic: place,
  proof: place,
  cavv: seldom(fc.constantFrom("right" as const, "right" as const, "wrong" as const)),
  cvc: seldom(fc.constantFrom("match" as const, "match" as const, "mismatch" as const)),
  token: seldom(tokenReference),
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
const increment = fc.record({ do: name("increment"), slot, amount, reply, isLast: fc.boolean() });
const cash = fc.nat({ max: 1 });
/** Its reference code is checked before its authorization: a withdrawal has one of both. */
const withdrawal = (advice: fc.Arbitrary<boolean>) =>
  fc
    .record({
      ...{ do: name("atm"), amount, fee: fc.nat({ max: 20 }), reply, advice, reference },
      token: seldom(tokenReference),
      cash: fc.option(cash, { nil: undefined, freq: 4 }),
    })
    .map((one) => (one.cash === undefined ? one : { ...one, reference: undefined }));
const upToAll = fc.option(amount, { nil: undefined });
const mayBeDone = fc.boolean();
const occurred = fc.nat({ max: 5 });

export const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record(authorizationFields) },
  { weight: 3, arbitrary: increment },
  { weight: 2, arbitrary: fc.record({ do: name("advice"), slot, amount, total: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: name("reversal"), slot, amount: upToAll, total: fc.boolean(), mayBeDone }),
  },
  { weight: 2, arbitrary: fc.record({ do: name("incrementReversal"), nth }) },
  { weight: 4, arbitrary: fc.record({ do: name("datedAdvice"), dated, amount, occurred }) },
  { weight: 3, arbitrary: fc.record({ do: name("datedReversal"), dated, amount, occurred }) },
  { weight: 5, arbitrary: fc.record({ do: name("cashReversal"), cash, amount: upToAll }) },
  { weight: 2, arbitrary: fc.record({ do: name("cashClearing"), cash, amount }) },
  { weight: 1, arbitrary: fc.record({ do: name("expiry"), slot: anySlot }) },
  { weight: 1, arbitrary: fc.record({ do: name("deadline"), slot: anySlot }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: name("clearing"), slot: anySlot, amount, final: fc.boolean(), reference }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom(...settledNames), amount, reference }) },
  { weight: 2, arbitrary: fc.record({ do: name("refundReversal"), nth }) },
  { weight: 3, arbitrary: withdrawal(fc.boolean()) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ do: name("atm"), amount, fee: fc.nat({ max: 20 }), reply, cash },
      ...{ advice: fc.constant(true), total: fc.constant(true) },
    }),
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
  { weight: 2, arbitrary: fc.record({ do: name("returnDeposit"), nth, amount: upToAll }) },
  { weight: 1, arbitrary: fc.record({ do: name("inquiry") }) },
  { weight: 1, arbitrary: fc.record({ do: name("refundAuthorization"), amount }) },
  { weight: 1, arbitrary: fc.record({ do: name("split"), room: fc.constantFrom(1, 1, 1, 100_000) }) },
  { weight: 1, arbitrary: fc.record({ do: name("status"), to: fc.constantFrom(1, 2) }) },
  { weight: 1, arbitrary: fc.record({ do: name("block"), blocked: fc.boolean() }) },
);

/** Of plastics, tokens and authentications. */
const plasticCommand: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: name("replace"),
      reason: fc.constantFrom("lost" as const, "stolen" as const, "damaged" as const, "renewed" as const),
      plastic: place,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: name("token"),
      reference: tokenReference,
      steppedUp: fc.boolean(),
      plastic: place,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: name("tokenStep"),
      reference: tokenReference,
      step: fc.constantFrom<TokenStep[]>(
        ...(["confirm", "confirm", "fail", "expire", "resume", "delete"] as const),
        ...(["suspend", "suspend", "suspend", "suspend"] as const),
      ),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: name("activate") }) },
  { weight: 1, arbitrary: fc.record({ do: name("endOlder") }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: name("authenticate"),
      challenged: fc.boolean(),
      token: seldom(tokenReference),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: name("challenge"),
      nth,
      end: fc.constantFrom<ChallengeEnd[]>("approved", "approved", "declined", "expired"),
    }),
  },
);

const anyCommand = fc.oneof(
  { weight: 7, arbitrary: command },
  { weight: 3, arbitrary: disputeCommand },
  { weight: 3, arbitrary: plasticCommand },
);

/** About a small amount. Every other command meanwhile is of the same authorization. */
const question: fc.Arbitrary<Question> = fc.record({
  step: fc.constant("question" as const),
  command: fc.oneof(
    { weight: 3, arbitrary: fc.record({ ...authorizationFields, amount: fc.integer({ min: 1, max: 150 }) }) },
    { weight: 1, arbitrary: increment },
    { weight: 1, arbitrary: withdrawal(fc.constant(false)) },
  ),
  meanwhile: fc.array(anyCommand, { maxLength: 4 }),
  repetitions: fc.nat({ max: 2 }),
  end: fc.constantFrom("answer", "answer", "lapse", "kill"),
});

/** Also an advice of a network that stood in while the receiver was asked. */
const isOfCash = (command: Command) =>
  command.do === "cashReversal" || command.do === "cashClearing" || (command.do === "atm" && command.advice);

/** Gives each question a new authorization. */
function withOwnSlot(step: Step, index: number): Step {
  if (step.step !== "question") return step;
  const { command } = step;
  const ownSlot = 100 + index;
  if (command.do === "atm") {
    const meanwhile = step.meanwhile.map((other, n) =>
      n % 2 === 0 && isOfCash(other) ? { ...other, cash: ownSlot } : other,
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
  { weight: 18, arbitrary: fc.record({ step: fc.constant("one"), command: anyCommand }) },
  { weight: 2, arbitrary: fc.record({ step: fc.constant("twice"), command: anyCommand }) },
  {
    weight: 3,
    arbitrary: fc.record({ step: fc.constant("race"), commands: fc.tuple(anyCommand, anyCommand) }),
  },
  { weight: 3, arbitrary: fc.record({ step: fc.constant("repeat"), nth, isAnother: fc.boolean() }) },
  { weight: 7, arbitrary: question },
);

const eventsInASequence = 60;

/** Most Cards have a token early: purchases meet it in each of its states. */
const firstToken: Step = { step: "one", command: { do: "token", reference: 0, steppedUp: false } };

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

/** What can happen to a Card that is closed. */
const closedStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ step: fc.constant("one"), command: closedCommand }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant("twice"), command: closedCommand }) },
  {
    weight: 1,
    arbitrary: fc.record({ step: fc.constant("race"), commands: fc.tuple(closedCommand, closedCommand) }),
  },
);

/** Initial balance, settings of the Program, the controls in force, and the steps. */
export const sequence = fc.record({
  hasReceiver: fc.constantFrom(true, true, false),
  physical: fc.boolean(),
  controls: fc.array(control, { maxLength: 2 }),
  openingMinor: fc.nat({ max: 1_500 }),
  partialApproval: fc.boolean(),
  creditsAtOnce: fc.boolean(),
  wantsVerified: fc.boolean(),
  closedSteps: fc.array(closedStep, { maxLength: 15 }),
  steps: fc
    .array(step, { minLength: eventsInASequence, maxLength: eventsInASequence })
    .map((steps) => [firstToken, ...upTo(eventsInASequence, steps.map(withOwnSlot))]),
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
