export const fee = 7;
export const approvalAbove = 300;
export const topUp = { threshold: 100, amount: 150 } as const;

export type Said = "accepted" | "completed" | "collected" | "rejected" | "returned";

/** `nth` names one of the last payments, so that much happens to each. */
export type Command =
  | { readonly do: "payout" | "pull"; readonly amount: number }
  | { readonly do: "approve" | "decline" | "cancel" | "send" | "clear"; readonly nth: number }
  | {
      readonly do: "report";
      readonly nth: number;
      readonly said: Said;
      /** What comes back of a payout. */
      readonly amount?: number | undefined;
    }
  | { readonly do: "spend"; readonly card: CardName; readonly amount: number }
  /** On the Card that the Wallet can pay for. The last hold is released. */
  | { readonly do: "authorize"; readonly amount: number }
  | { readonly do: "release" }
  /** From the Wallet, with a limit or without; or from the Card's own money again. */
  | { readonly do: "fund"; readonly isByWallet: boolean; readonly limit?: number | undefined };

/** One that the Wallet can pay for, and one that it tops up. */
export type CardName = "funded" | "toppedUp";

/** With what it creates or names: the same also where another comes first. */
export interface Named {
  readonly command: Command;
  /** Of the payment. */
  readonly key: string;
  /** Its `Idempotency-Key`, or event's id. */
  readonly id: string;
}

interface Payment {
  readonly key: string;
  readonly kind: "payout" | "pull";
  readonly amount: number;
  status: string;
  wasSent: boolean;
  wasRejected: boolean;
  returned?: number | undefined;
  returnedAgain: boolean;
}

interface Hold {
  readonly key: string;
  readonly amount: number;
  readonly isOnWallet: boolean;
  /** The limit that counts it. */
  readonly limitNumber: number | undefined;
  isOpen: boolean;
}

/** A limit that was removed is another one when it is set again: it begins empty. */
interface Limit {
  readonly number: number;
  readonly amount: number;
  readonly used: number;
}

/** A Wallet with its payments and Cards. */
export interface Model {
  /** Without pending deposits. */
  ledger: number;
  pending: number;
  isByWallet: boolean;
  limits: number;
  limit: Limit | undefined;
  readonly holds: Hold[];
  readonly cards: Record<CardName, number>;
  readonly payments: Payment[];
}

export function newModel(ledger: number, own: number): Model {
  const cards = { funded: own, toppedUp: own };
  return {
    ledger,
    pending: 0,
    isByWallet: false,
    limits: 0,
    limit: undefined,
    holds: [],
    cards,
    payments: [],
  };
}

const holding = new Set(["awaiting_approval", "pending", "sent"]);

function heldIn(model: Model): number {
  const holds = model.payments.filter(({ kind, status }) => kind === "payout" && holding.has(status));
  return holds.reduce((sum, { amount }) => sum + amount + fee, 0) + heldByCard(model, true);
}

function heldByCard({ holds }: Model, onWallet: boolean): number {
  return holds.reduce(
    (sum, { amount, isOpen, isOnWallet }) => sum + (isOpen && isOnWallet === onWallet ? amount : 0),
    0,
  );
}

const illegal = { status: 409, code: "ILLEGAL_TRANSITION" };
const answered = (state: string) => ({ status: 200, state });

/** What it answers, once the model has changed as it says. */
export function happen(model: Model, named: Named): object {
  const { command, key } = named;
  switch (command.do) {
    case "payout":
    case "pull":
      return create(model, key, command.do, command.amount);
    case "spend":
      if (command.card === "funded" && model.isByWallet) {
        model.ledger -= command.amount;
        countMore(model, command.amount);
      } else model.cards[command.card] -= command.amount;
      return { outcome: "applied" };
    case "authorize":
      return authorize(model, key, command.amount);
    case "release":
      return release(model, key);
    case "fund":
      return fund(model, command);
    case "report":
      return report(model, find(model, key), command);
    default:
      return step(model, find(model, key), command.do);
  }
}

function find({ payments }: Model, key: string): Payment {
  const payment = payments.find((one) => one.key === key);
  if (!payment) throw new Error(`There is no payment ${key}.`);
  return payment;
}

function create(model: Model, key: string, kind: "payout" | "pull", amount: number): object {
  const lacks = kind === "payout" && model.ledger - heldIn(model) < amount + fee;
  const isAwaiting = kind === "payout" && amount > approvalAbove;
  const status = lacks ? "declined" : isAwaiting ? "awaiting_approval" : "pending";
  const states = { wasSent: false, wasRejected: false, returnedAgain: false };
  model.payments.push({ key, kind, amount, status, ...states });
  return answered(status);
}

function countMore(model: Model, added: number): void {
  const { limit } = model;
  if (limit) model.limit = { ...limit, used: limit.used + added };
}

/** The limit comes before the Wallet. What is declined can be released no more. */
function authorize(model: Model, key: string, amount: number): object {
  const { isByWallet: isOnWallet, limit, holds, cards } = model;
  const available = isOnWallet ? model.ledger - heldIn(model) : cards.funded - heldByCard(model, false);
  const isAbove = limit !== undefined && limit.used + amount > limit.amount;
  const isOpen = !isAbove && available >= amount;
  holds.push({ key, amount, isOnWallet, limitNumber: limit?.number, isOpen });
  if (isOpen) {
    countMore(model, amount);
    return { outcome: "applied", approved: true };
  }
  const declineReason = isAbove ? "SPEND_LIMIT" : "INSUFFICIENT_FUNDS";
  return { outcome: "applied", approved: false, declineReason };
}

/** What the own account gets back is the Wallet's that pays now. */
function release(model: Model, key: string): object {
  const hold = model.holds.find((one) => one.key === key);
  if (!hold?.isOpen) return { outcome: "refused" };
  hold.isOpen = false;
  if (hold.limitNumber !== undefined && hold.limitNumber === model.limit?.number)
    countMore(model, -hold.amount);
  if (!hold.isOnWallet && model.isByWallet) {
    model.cards.funded -= hold.amount;
    model.ledger += hold.amount;
  }
  return { outcome: "applied" };
}

/** What the Card has available becomes the Wallet's, which pays what it owes, if it can. */
function fund(model: Model, { isByWallet, limit }: Extract<Command, { readonly do: "fund" }>): object {
  if (isByWallet && !model.isByWallet) {
    const available = model.cards.funded - heldByCard(model, false);
    if (available < 0 && model.ledger - heldIn(model) < -available)
      return { status: 409, code: "CARD_NOT_EMPTY" };
    model.ledger += available;
    model.cards.funded -= available;
  }
  model.isByWallet = isByWallet;
  if (!isByWallet || limit === undefined) model.limit = undefined;
  else if (model.limit) model.limit = { ...model.limit, amount: limit };
  else {
    model.limits += 1;
    model.limit = { number: model.limits, amount: limit, used: 0 };
  }
  return { status: 200 };
}

function step(
  model: Model,
  payment: Payment,
  what: "approve" | "decline" | "cancel" | "send" | "clear",
): object {
  const { status, amount } = payment;
  if (what === "send") {
    if (status !== "pending") return { isDone: false };
    Object.assign(payment, { status: "sent", wasSent: true });
    return { isDone: true };
  }
  if (what === "clear") {
    if (status !== "collected") return { isDone: false };
    payment.status = "completed";
    model.pending -= amount;
    model.ledger += amount;
    return { isDone: true };
  }
  const isOpen = status === "awaiting_approval" || (status === "pending" && what === "cancel");
  if (!isOpen) return illegal;
  payment.status = { approve: "pending", decline: "declined", cancel: "cancelled" }[what];
  return answered(payment.status);
}

type Report = Extract<Command, { do: "report" }>;

/** Money moves once each way, in whichever order the bank says so. */
function report(model: Model, payment: Payment, { said, amount }: Report): object {
  if (!payment.wasSent) return { result: "refused", reason: "NOT_SENT" };
  const { kind, status } = payment;
  if (said === "accepted" || (kind === "pull" && said === "completed")) return { result: "known" };
  if (said === "rejected") {
    if (payment.wasRejected) return { result: "known" };
    payment.wasRejected = true;
    if (status !== "sent") return { result: "kept" };
    payment.status = "rejected";
    return { result: "applied" };
  }
  const isOpen = status === "sent" || status === "rejected";
  if (said === "returned") return comeBack(model, payment, amount ?? payment.amount, isOpen);
  if (!isOpen) return { result: "known" };
  payment.status = said;
  if (kind === "pull") model.pending += payment.amount;
  else model.ledger -= payment.amount + fee;
  return { result: "applied" };
}

function comeBack(model: Model, payment: Payment, back: number, isOpen: boolean): object {
  const { kind, status, amount, returned, returnedAgain } = payment;
  if (back > amount) return { result: "refused", reason: "AMOUNT_TOO_LARGE" };
  if (status === "returned") {
    if (back === returned || returnedAgain) return { result: "known" };
    payment.returnedAgain = true;
    return { result: "kept" };
  }
  if (kind === "payout") model.ledger += back - (isOpen ? amount + fee : 0);
  else if (status === "collected") model.pending -= amount;
  else if (status === "completed") model.ledger -= amount;
  Object.assign(payment, { status: "returned", returned: back });
  return { result: "applied" };
}

/** After each step: as often as it is due, and the Wallet has the money. */
export function replenish(model: Model): void {
  const { threshold, amount } = topUp;
  while (model.cards.toppedUp < threshold && model.ledger - heldIn(model) >= amount) {
    model.ledger -= amount;
    model.cards.toppedUp += amount;
  }
}

/** As the platform is to show it. */
export function shownBy(model: Model) {
  const held = heldIn(model);
  const { ledger, pending, cards, payments, limit } = model;
  return {
    wallet: { available: ledger - held, held, pending },
    limit: limit && { amount: limit.amount, used: limit.used },
    cards,
    payments: payments.map(({ key, status }) => `${key} ${status}`).toSorted(),
  };
}

export function name({ payments, holds }: Model, given: Command, newId: () => string): Named | undefined {
  if (given.do === "release") {
    const { key } = holds.findLast(({ isOpen }) => isOpen) ?? {};
    return key === undefined ? undefined : { command: given, key, id: newId() };
  }
  if (!("nth" in given)) return { command: given, key: newId(), id: newId() };
  const payment = payments[payments.length - 1 - (given.nth % Math.min(payments.length, 2))];
  if (!payment) return undefined;
  const { key, kind } = payment;
  const isOfPayouts = given.do === "approve" || given.do === "decline";
  if ((kind === "pull" && isOfPayouts) || (kind === "payout" && given.do === "clear")) return undefined;
  return { command: given.do === "report" ? reportOf(kind, given) : given, key, id: newId() };
}

/** A payout is never collected, and a pull comes back whole. */
function reportOf(kind: "payout" | "pull", given: Report): Report {
  if (kind === "pull") return { ...given, amount: undefined };
  return given.said === "collected" ? { ...given, said: "completed" } : given;
}
