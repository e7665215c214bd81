import { deepStrictEqual, ok } from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { newId } from "../../../shared/platform/id.ts";
import { type Asked, illegal, isAsked, type Outcome, type Resolved } from "./answers.ts";
import {
  availableOf,
  type Card,
  declinesOf,
  type Given,
  heldOf,
  ledgerOf,
  linesOf,
  newCard,
  usedOf,
} from "./card.ts";
import type { Command, Question, Step } from "./commands.ts";
import { disputeText, freeOf } from "./debits.ts";
import { begin, finish, happen } from "./model.ts";
import { chainText } from "./plastics.ts";
import { feeText, lineText, RealCard, type Shown } from "./real-card.ts";
import { isDisputeRequest } from "./real-disputes.ts";
import { proofTexts, tokenTexts } from "./real-plastics.ts";
import { type Sequence, sequence } from "./sequences.ts";
import { hasHash } from "./to-event.ts";

/**
 * Runs random sequences against the model and real cards, `lanes` at a time.
 * @throws Error with the smallest sequence in which the two differ.
 */
export async function proveCards(options: {
  readonly sequences: number;
  readonly lanes: number;
  readonly seed: number;
  readonly done?: () => void;
}): Promise<void> {
  const { sequences, lanes, seed, done } = options;
  const lane = (number: number) =>
    fc.assert(
      fc.asyncProperty(sequence, async (one) => {
        await runSequence(one);
        done?.();
      }),
      {
        numRuns: Math.ceil(sequences / lanes),
        seed: seed + number,
        endOnFailure: false,
        includeErrorInReport: true,
      },
    );
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
}

/** What has been sent, so that it can be sent again. */
interface Sent {
  readonly command: Resolved;
  readonly outcome: Outcome;
}

async function runSequence(one: Sequence): Promise<void> {
  const { steps, closedSteps, ...given } = one;
  await runSteps(given, [...steps, { step: "one", command: { do: "close" } }, ...closedSteps]);
}

/** Returns the real card, and each answer, once the model has agreed with all that they show. */
export async function runSteps(
  given: Given,
  steps: readonly Step[],
  looks: "each time" | "at the end" = "each time",
) {
  // More than one after a race whose two orders differ only in what later events show.
  let cards: readonly Card[] = [newCard(given)];
  const real = await RealCard.open(given);
  const sent = new Map<string, Sent>();
  for (const [index, step] of steps.entries()) {
    cards = await takeStep(step, cards, real, sent);
    if (looks === "at the end" && index < steps.length - 1) continue;
    const { broken, ...shown } = await real.shown();
    cards = agreeing(cards, expected, shown);
    deepStrictEqual(broken, []);
  }
  const declines = await real.declines();
  agreeing(cards, (card) => declinesOf(card).map(toText).toSorted(), declines);
  deepStrictEqual(await real.countedSums(), await real.usage());
  return real;
}

/** The cards of which this is true. Throws the difference to the first if there is none. */
function agreeing(cards: readonly Card[], expect: (card: Card) => unknown, found: unknown): Card[] {
  const agree = cards.filter((card) => isDeepStrictEqual(expect(card), found));
  if (agree.length === 0) deepStrictEqual(found, expect(first(cards)));
  return agree;
}

function first<T>(all: readonly T[]): T {
  const [one] = all;
  ok(one);
  return one;
}

/** The model's cards after the step. */
async function takeStep(
  step: Step,
  cards: readonly Card[],
  real: RealCard,
  sent: Map<string, Sent>,
): Promise<readonly Card[]> {
  switch (step.step) {
    case "repeat":
      await repeat(step, real, sent);
      return cards;
    case "one":
    case "twice":
      return send(resolve(first(cards), step.command), step.step === "twice" ? 2 : 1, cards, real, sent);
    case "race": {
      const [left, right] = step.commands;
      return race([resolve(first(cards), left), resolve(first(cards), right)], cards, real, sent);
    }
    case "question":
      return question(step, cards, real, sent);
  }
}

async function repeat(
  { nth, isAnother }: Step & { step: "repeat" },
  real: RealCard,
  sent: Map<string, Sent>,
): Promise<void> {
  const ids = [...sent.keys()];
  const id = ids[nth % ids.length];
  const first = id === undefined ? undefined : sent.get(id);
  if (id === undefined || !first) return;
  if (isAnother && hasHash(first.command))
    return deepStrictEqual(await real.happenAgain(first.command, id), illegal);
  const answer = real.answers.get(id);
  deepStrictEqual(await real.happen(first.command, id), first.outcome);
  deepStrictEqual(real.answers.get(id), answer);
}

async function send(
  command: Resolved,
  copies: 1 | 2,
  cards: readonly Card[],
  real: RealCard,
  sent: Map<string, Sent>,
): Promise<readonly Card[]> {
  const id = newId("event");
  const outcomes = new Map(cards.map((card) => [card, happen(card, command, id)]));
  const times = isEvent(command) ? copies : 1;
  const answers = await Promise.all(Array.from({ length: times }, () => real.happen(command, id)));
  const [outcome, another = outcome] = answers;
  ok(outcome);
  deepStrictEqual(another, outcome, JSON.stringify(command));
  keep(sent, id, command, outcome);
  return agreeing(cards, (card) => outcomes.get(card), outcome);
}

/** An authorization, with other commands between its question and its end. */
async function question(
  { command: given, meanwhile, repetitions, end }: Question,
  cards: readonly Card[],
  real: RealCard,
  sent: Map<string, Sent>,
): Promise<readonly Card[]> {
  const command = placed(first(cards), given);
  const id = newId("event");
  const begun = new Map(cards.map((card) => [card, begin(card, command, id)]));
  const open = real.ask(command, id);
  const early = await Promise.race([open.answered, open.asked]);
  const isBegun = (card: Card) =>
    isDeepStrictEqual(early, card.hasReceiver ? answerOf(begun.get(card)) : early);
  let left: readonly Card[] = cards.filter(isBegun);
  ok(left.length > 0, `${JSON.stringify(command)} was answered ${JSON.stringify(early)} too early.`);
  const again = Array.from({ length: repetitions }, () => real.happen(command, id));
  if (early === undefined)
    for (const other of meanwhile) {
      left = await send(resolve(first(left), other), 1, left, real, sent);
      const { broken, ...shown } = await real.shown();
      left = agreeing(left, expected, shown);
      deepStrictEqual(broken, []);
    }
  const isLost = early === undefined && end !== "answer";
  const outcomes = new Map(left.map((card) => [card, finish(card, endOf(begun.get(card), isLost))]));
  if (end === "kill") open.kill();
  if (isLost) await open.lapse();
  open.answer();
  const answers = await Promise.all([
    end === "kill" && isLost ? open.answered.catch(() => real.happen(command, id)) : open.answered,
    ...again,
  ]);
  const [outcome] = answers;
  ok(outcome);
  for (const other of answers) deepStrictEqual(other, outcome, JSON.stringify(command));
  keep(sent, id, command, outcome);
  return agreeing(left, (card) => outcomes.get(card), outcome);
}

/** Undefined while the question is open. */
function answerOf(begun: Asked | Outcome | undefined): Outcome | undefined {
  return begun && !isAsked(begun) ? begun : undefined;
}

function endOf(begun: Asked | Outcome | undefined, isLost: boolean): Asked | Outcome {
  ok(begun);
  return isLost && isAsked(begun) ? { ...begun, reply: "lost" } : begun;
}

/**
 * Two at once must have come out as if one had been after the other, or between the question of the
 * other and its end.
 */
async function race(
  [left, right]: readonly [Resolved, Resolved],
  cards: readonly Card[],
  real: RealCard,
  sent: Map<string, Sent>,
): Promise<readonly Card[]> {
  const [leftId, rightId] = [newId("event"), newId("event")];
  const commands = { left: [left, leftId], right: [right, rightId] } as const;
  const inOrder = (card: Card, order: readonly ("left" | "right")[]) => {
    const after = structuredClone(card);
    const begun: { left?: Asked | Outcome; right?: Asked | Outcome } = {};
    const outcomes: { left?: Outcome; right?: Outcome } = {};
    for (const side of order) {
      const before = begun[side];
      if (before) outcomes[side] = finish(after, before);
      else begun[side] = begin(after, ...commands[side]);
    }
    return { after, outcomes: [outcomes.left, outcomes.right] };
  };
  const orders = cards.flatMap((card) => [
    ...interleavings.map((order) => inOrder(card, order)),
    ...lostActivations(card, commands),
  ]);
  const outcomes = await Promise.all([real.happen(left, leftId), real.happen(right, rightId)]);
  const { broken: _, ...shown } = await real.shown();
  const answered = orders.filter((one) => isDeepStrictEqual(one.outcomes, outcomes));
  const possible = answered
    .filter(({ after }) => isDeepStrictEqual(expected(after), shown))
    .map(({ after }) => after);
  if (possible.length === 0) {
    const order = answered[0] ?? first(orders);
    const message = `The race of ${JSON.stringify([left, right])} came out as no order.`;
    const model = { message, outcomes: order.outcomes, shown: expected(order.after) };
    deepStrictEqual({ message, outcomes, shown }, model);
  }
  keep(sent, leftId, left, outcomes[0]);
  keep(sent, rightId, right, outcomes[1]);
  const isNew = (card: Card, index: number) =>
    possible.findIndex((one) => isDeepStrictEqual(one, card)) === index;
  return possible.filter(isNew);
}

const changesPlastics: ReadonlySet<Command["do"]> = new Set([
  ...(["activate", "block", "close", "endOlder", "replace", "status"] as const),
]);

/** An activation is refused where the Card is changed meanwhile: it can be tried again. */
function lostActivations(
  card: Card,
  { left, right }: Readonly<Record<"left" | "right", readonly [Resolved, string]>>,
) {
  const lost: Outcome = { isActivated: false };
  const without = ([command, id]: readonly [Resolved, string], other: Resolved) => {
    if (other.do !== "activate" || !changesPlastics.has(command.do)) return undefined;
    const after = structuredClone(card);
    return { after, outcome: happen(after, command, id) };
  };
  const [one, other] = [without(right, left[0]), without(left, right[0])];
  return [
    ...(one ? [{ after: one.after, outcomes: [lost, one.outcome] }] : []),
    ...(other ? [{ after: other.after, outcomes: [other.outcome, lost] }] : []),
  ];
}

/** Each begins and finishes. */
const interleavings = [
  ["left", "left", "right", "right"],
  ["left", "right", "left", "right"],
  ["left", "right", "right", "left"],
  ["right", "left", "left", "right"],
  ["right", "left", "right", "left"],
  ["right", "right", "left", "left"],
] as const;

/** What is unknown can change with a repetition, unless it was the last attempt. */
function keep(sent: Map<string, Sent>, id: string, command: Resolved, outcome: Outcome): void {
  const isLast = command.do === "increment" && command.isLast;
  // A refused request is not stored under its Idempotency-Key.
  if (isDisputeRequest(command) && outcome.status !== 200) return;
  if (command.do === "replace" && outcome.code !== undefined) return;
  const mayChange = outcome.code === "REFERENCE_EXISTS" || (outcome.code === "NOT_FOUND" && !isLast);
  if (isEvent(command) && !mayChange) sent.set(id, { command, outcome });
}

const isEvent = (command: Command) => !isLocal.has(command.do);

const isLocal: ReadonlySet<Command["do"]> = new Set([
  ...(["deadline", "status", "block", "split", "close", "evidence", "disputeDue"] as const),
  ...(["disputeChange", "activate", "endOlder", "authenticate", "challenge", "tokenStep"] as const),
]);

function resolve(card: Card, given: Command): Resolved {
  const command = placed(card, given);
  const registry = {
    incrementReversal: card.increments,
    refundReversal: card.refunds,
    feeReversal: card.fees,
    refundOf: card.debits,
    chargeback: card.debits,
    dispute: card.debits,
    outcome: card.disputes,
    disputeOutcome: card.disputes,
    disputeChange: card.disputes,
    disputeStep: card.disputes,
    disputeDue: card.disputes,
    evidence: card.disputes,
    clearDeposit: card.deposits,
    reverseDeposit: card.deposits,
    returnDeposit: card.deposits,
  }[command.do as "outcome"] as ReadonlyMap<string, unknown> | undefined;
  if (!registry || !("nth" in command)) return command;
  const target = [...registry.keys()][command.nth % registry.size];
  return target === undefined ? command : { ...command, target };
}

/** Names what is there now: a repetition names the same. */
function placed<C extends Command>({ plastics, proofs }: Card, command: C): C {
  const nthOf = (nth: number | undefined, length: number) =>
    nth === undefined || length === 0 ? undefined : nth % length;
  if (command.do === "challenge") return { ...command, nth: nthOf(command.nth, proofs.length) ?? 0 };
  if (command.do !== "authorization" && command.do !== "replace" && command.do !== "token") return command;
  const plastic = nthOf(command.plastic, plastics.chain.length);
  if (command.do !== "authorization") return { ...command, plastic };
  return { ...command, plastic, proof: nthOf(command.proof, proofs.length) };
}

function expected(card: Card): Shown {
  return {
    available: availableOf(card),
    ledger: ledgerOf(card),
    held: heldOf(card),
    lines: linesOf(card).map(toText).toSorted(),
    disputes: [...card.disputes.values()].map(disputeText).toSorted(),
    plastics: chainText(card),
    proofs: proofTexts(card),
    tokens: tokenTexts(card),
    free: [...card.debits.values()]
      .filter((debit) => debit.amount > 0)
      .map((debit) => `${freeOf(debit)} of ${debit.amount}`)
      .toSorted(),
    fees: [...card.fees.values()].map((fee) => feeText(fee)).toSorted(),
    used: card.controls.map(({ window }) =>
      window === "authorization" ? { amount: 0, count: 0 } : usedOf(card),
    ),
  };
}

const toText = (line: object) => lineText(line as Record<string, unknown>);
