import { deepStrictEqual, ok } from "node:assert/strict";
import { expect } from "vitest";
import { readTable } from "../rules-table.ts";
import type { Given } from "./card.ts";
import type { Command, Question, Reply, Step } from "./commands.ts";
import { runSteps } from "./run-sequence.ts";
import { settledNames } from "./settlements.ts";

/** A row of money-rules.txt. */
export interface Rule {
  readonly rule: string;
  readonly steps: string;
  readonly ends: string;
  readonly last: string;
  readonly given: string;
}

/** What its rows are about, and the rows. */
export function readRules(text: string): { of: string; rows: Rule[] }[] {
  return readTable(text).map(({ of, rows }) => ({
    of,
    rows: rows.map(([rule = "", steps = "", ends = "", last = "-", given = ""]) => ({
      ...{ rule, steps, ends, last, given },
    })),
  }));
}

/** The model checks each step; the row says where they lead, whatever the model thinks. */
export async function playRule({ steps, ends, last, given }: Rule): Promise<void> {
  const real = await runSteps(toGiven(given), steps.split(", ").map(toStep), "at the end");
  const { available, held, ledger } = await real.shown();
  deepStrictEqual(`${available} ${held} ${ledger}`, ends);
  if (last !== "-") expect([...real.answers.values()].at(-1)).toMatchObject(toAnswer(last));
}

function toGiven(text: string): Given {
  const numberAfter = (word: string) => new RegExp(`${word} (\\d+)`).exec(text)?.[1];
  const limit = numberAfter("limit");
  const count = numberAfter("count");
  const window = text.includes("each") ? "authorization" : "lifetime";
  const control = {
    owner: "card",
    amount: Number(limit),
    count: count ? Number(count) : undefined,
    window,
  } as const;
  return {
    openingMinor: Number(numberAfter("opening") ?? 10_000),
    partialApproval: text.includes("partial"),
    hasReceiver: text.includes("receiver"),
    creditsAtOnce: !text.includes("credit later"),
    controls: limit ? [control] : [],
  };
}

function toAnswer(text: string): object {
  const codes = { rejected: "ILLEGAL_TRANSITION", unknown: "NOT_FOUND", taken: "REFERENCE_EXISTS" };
  const [word = "", amount] = text.split(" ");
  if (word in codes) return { outcome: "refused", code: codes[word as keyof typeof codes] };
  if (amount === undefined) return { approved: false, declineReason: word, amount: 0 };
  return { outcome: "applied", amount: Number(amount), ...(word === "approved" && { approved: true }) };
}

function toStep(text: string): Step {
  const [one = "", other] = text.split(" & ");
  if (other) return { step: "race", commands: [toCommand(one), toCommand(other)] };
  if (text === "again") return { step: "repeat", nth: 0, isAnother: false };
  if (text.startsWith("twice ")) return { step: "twice", command: toCommand(text.slice(6)) };
  const question = /^(.*) \? (\S+)(?: after (.*))?$/.exec(text);
  if (!question) return { step: "one", command: toCommand(text) };
  const [, asked = "", end = "", meanwhile] = question;
  const reply = (end === "kill" ? "approve" : end) as Reply;
  return {
    step: "question",
    command: { ...(toCommand(asked) as Question["command"]), reply },
    meanwhile: meanwhile ? [toCommand(meanwhile)] : [],
    repetitions: 0,
    end: end === "kill" ? end : "answer",
  };
}

/** Authorizations or withdrawals, and two settlements. */
const names: Readonly<Record<string, number>> = { A: 0, B: 1, C: 2, first: 0, second: 1 };

/** They name withdrawals; others name authorizations. */
const ofCash: ReadonlySet<Command["do"]> = new Set(["atm", "cashReversal", "cashClearing"]);

function toCommand(text: string): Command {
  const [verb = "", ...words] = text.split(" ");
  const found = (sign: string) => words.find((word) => word.startsWith(sign))?.slice(sign.length);
  const optional = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits));
  const amount = optional(words.find((word) => /^\d+$/.test(word)));
  const name = words.map((word) => names[word]).find((one) => one !== undefined);
  const total = verb === "total" || verb.endsWith("-to");
  const command = verbs[verb];
  ok(command, `There is no step "${text}": its verb has no row in the table of verbs.`);
  const isOfCash = ofCash.has(command.do);
  const named = isOfCash ? { cash: name } : { slot: name ?? 0, dated: name ?? 0, nth: name ?? 0 };
  const reference = optional(found("#"));
  const fee = Number(found("+") ?? 0);
  const occurred = optional(found("@"));
  const asking = { reply: "approve", supportsPartial: words.includes("partly"), isLast: false };
  const dated =
    occurred === undefined ? {} : { do: verb === "total" ? "datedAdvice" : "datedReversal", occurred };
  return {
    ...asking,
    ...named,
    amount,
    total,
    mayBeDone: words.includes("if-left"),
    reference,
    fee,
    ...command,
    ...dated,
  } as never;
}

/** `forcePost` is the verb `force-post`. */
function toVerb(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export const verbs: Readonly<
  Record<string, { readonly do: Command["do"]; readonly [field: string]: unknown }>
> = {
  authorize: { do: "authorization" },
  increase: { do: "increment" },
  "reverse-increase": { do: "incrementReversal" },
  advise: { do: "advice" },
  total: { do: "advice" },
  reverse: { do: "reversal" },
  "reverse-to": { do: "reversal" },
  expire: { do: "expiry" },
  clear: { do: "clearing", final: true },
  "clear-part": { do: "clearing", final: false },
  "give-back": { do: "postedReversal" },
  "give-back-to": { do: "postedReversal" },
  ...Object.fromEntries(settledNames.map((name) => [toVerb(name), { do: name }])),
  "reverse-refund": { do: "refundReversal" },
  charge: { do: "fee", feeType: 5 },
  "reverse-fee": { do: "feeReversal" },
  withdraw: { do: "atm", advice: false },
  "cash-advice": { do: "atm", advice: true },
  "cash-total": { do: "atm", advice: true, total: true },
  "reverse-cash": { do: "cashReversal" },
  "reverse-cash-to": { do: "cashReversal" },
  "clear-cash": { do: "cashClearing" },
  "clear-cash-part": { do: "cashClearing", final: false },
  deposit: { do: "deposit", pending: false },
  "deposit-pending": { do: "deposit", pending: true },
  "clear-deposit": { do: "clearDeposit" },
  "reverse-deposit": { do: "reverseDeposit" },
  "return-deposit": { do: "returnDeposit" },
  inquire: { do: "inquiry" },
  "authorize-refund": { do: "refundAuthorization" },
  "charge-back": { do: "chargeback" },
  represent: { do: "outcome", status: 1 },
  win: { do: "outcome", status: 2 },
  lose: { do: "outcome", status: 3 },
  "write-off": { do: "outcome", status: 4 },
  undo: { do: "outcome", status: 5 },
  dispute: { do: "dispute" },
  submit: { do: "disputeStep", step: "submit" },
  "withdraw-dispute": { do: "disputeStep", step: "withdraw" },
  "bear-dispute": { do: "disputeStep", step: "write_off" },
  "win-dispute": { do: "disputeOutcome", status: "won" },
  "lose-dispute": { do: "disputeOutcome", status: "lost" },
  "refund-of": { do: "refundOf" },
  close: { do: "close" },
  hold: { do: "status", to: 2 },
  block: { do: "block", blocked: true },
};
