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
  /** From the Wallet, or from the Card's own money again. */
  | { readonly do: "fund"; readonly isByWallet: boolean };

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

/** A Wallet with its payments and Cards. */
export interface Model {
  /** Without pending deposits. */
  ledger: number;
  pending: number;
  isByWallet: boolean;
  readonly cards: Record<CardName, number>;
  readonly payments: Payment[];
}

export function newModel(ledger: number, own: number): Model {
  return { ledger, pending: 0, isByWallet: false, cards: { funded: own, toppedUp: own }, payments: [] };
}

const holding = new Set(["awaiting_approval", "pending", "sent"]);

function heldIn({ payments }: Model): number {
  const holds = payments.filter(({ kind, status }) => kind === "payout" && holding.has(status));
  return holds.reduce((sum, { amount }) => sum + amount + fee, 0);
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
      if (command.card === "funded" && model.isByWallet) model.ledger -= command.amount;
      else model.cards[command.card] -= command.amount;
      return { outcome: "applied" };
    case "fund":
      return fund(model, command.isByWallet);
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

/** What the Card has becomes the Wallet's, which pays what it owes, if it can. */
function fund(model: Model, isByWallet: boolean): object {
  const { funded } = model.cards;
  if (isByWallet && !model.isByWallet) {
    if (funded < 0 && model.ledger - heldIn(model) < -funded)
      return { status: 409, code: "CARD_NOT_EMPTY" };
    model.ledger += funded;
    model.cards.funded = 0;
  }
  model.isByWallet = isByWallet;
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
  const { ledger, pending, cards, payments } = model;
  return {
    wallet: { available: ledger - held, held, pending },
    cards,
    payments: payments.map(({ key, status }) => `${key} ${status}`).toSorted(),
  };
}

export function name({ payments }: Model, given: Command, newId: () => string): Named | undefined {
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
