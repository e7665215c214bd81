import fc from "fast-check";
import type { Control } from "./card.ts";
import type { Command, Question, Reply, Step } from "./commands.ts";
import { closedCommand, commandsOf, disputeCommand, oneOf } from "./dispute-sequences.ts";
import { settledNames } from "./settlements.ts";

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

/** Few, so that settlements meet. Most have none. */
const reference = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.nat({ max: 3 }) },
);

const reply: fc.Arbitrary<Reply> = oneOf(
  ...(["approve", "approve", "part", "decline", "timeout", "connection_error", "bad_answer"] as const),
);

const authorizationFields = {
  ...{ slot: anySlot, amount, supportsPartial: fc.boolean(), plastic: place, proof: place },
  cavv: seldom(oneOf("right", "right", "wrong")),
  cvc: seldom(oneOf("match", "match", "mismatch")),
  ...{ token: seldom(tokenReference), reply },
};

const incrementFields = { slot, amount, reply, isLast: fc.boolean() };
const cash = fc.nat({ max: 1 });
const fee = fc.nat({ max: 20 });
/** Its reference code is checked before its authorization: a withdrawal has one of both. */
const withdrawal = (advice: fc.Arbitrary<boolean>) =>
  fc
    .record({
      ...{ do: fc.constant("atm" as const), amount, fee, reply, advice, reference },
      token: seldom(tokenReference),
      cash: fc.option(cash, { nil: undefined, freq: 4 }),
    })
    .map((one) => (one.cash === undefined ? one : { ...one, reference: undefined }));
const upToAll = fc.option(amount, { nil: undefined });
const mayBeDone = fc.boolean();
const occurred = fc.nat({ max: 5 });

const total = fc.boolean();

export const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: withdrawal(fc.boolean()) },
  {
    weight: 65,
    arbitrary: commandsOf(
      [6, "authorization", authorizationFields],
      [3, "increment", incrementFields],
      [2, "advice", { slot, amount, total }],
      [4, "reversal", { slot, amount: upToAll, total, mayBeDone }],
      [2, "incrementReversal", { nth }],
      [4, "datedAdvice", { dated, amount, occurred }],
      [3, "datedReversal", { dated, amount, occurred }],
      [5, "cashReversal", { cash, amount: upToAll }],
      [2, "cashClearing", { cash, amount }],
      [1, "expiry", { slot: anySlot }],
      [1, "deadline", { slot: anySlot }],
      [6, "clearing", { slot: anySlot, amount, final: fc.boolean(), reference }],
      [3, settledNames, { amount, reference }],
      [2, "refundReversal", { nth }],
      [2, "atm", { amount, fee, reply, cash, advice: fc.constant(true), total: fc.constant(true) }],
      [1, "fee", { feeType: oneOf(1, 2, 3, 4, 5), amount }],
      [1, "feeReversal", { nth }],
      [2, "chargeback", { nth, amount: upToAll }],
      [2, "outcome", { nth, status: oneOf(1, 2, 3, 4, 5) }],
      [3, "deposit", { amount, pending: fc.boolean() }],
      [2, "clearDeposit", { nth }],
      [1, "reverseDeposit", { nth }],
      [2, "returnDeposit", { nth, amount: upToAll }],
      [1, "inquiry"],
      [1, "refundAuthorization", { amount }],
      [1, "split", { room: oneOf(1, 1, 1, 100_000) }],
      [1, "status", { to: oneOf(1, 2) }],
      [1, "block", { blocked: fc.boolean() }],
    ),
  },
);

const tokenSteps = oneOf(
  ...(["confirm", "confirm", "fail", "expire", "resume", "delete"] as const),
  ...(["suspend", "suspend", "suspend", "suspend"] as const),
);

/** Of plastics, tokens and authentications. */
const plasticCommand = commandsOf(
  [3, "replace", { reason: oneOf("lost", "stolen", "damaged", "renewed"), plastic: place }],
  [4, "token", { reference: tokenReference, steppedUp: fc.boolean(), plastic: place }],
  [6, "tokenStep", { reference: tokenReference, step: tokenSteps }],
  [4, "activate"],
  [1, "endOlder"],
  [3, "authenticate", { challenged: fc.boolean(), token: seldom(tokenReference) }],
  [3, "challenge", { nth, end: oneOf("approved", "approved", "declined", "expired") }],
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
    {
      weight: 4,
      arbitrary: commandsOf(
        [3, "authorization", { ...authorizationFields, amount: fc.integer({ min: 1, max: 150 }) }],
        [1, "increment", incrementFields],
      ),
    },
    { weight: 1, arbitrary: withdrawal(fc.constant(false)) },
  ) as fc.Arbitrary<Question["command"]>,
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
    owner: oneOf("program", "cardholder", "card"),
    window: oneOf("lifetime", "year", "P90D"),
    amount: fc.integer({ min: 0, max: 3_000 }),
    count: fc.option(fc.nat({ max: 12 }), { nil: undefined }),
  }),
  fc.record({
    owner: oneOf("program", "card"),
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
