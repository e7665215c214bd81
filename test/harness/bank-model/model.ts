export const fee = 7;
export const approvalAbove = 300;
export const topUp = { threshold: 100, amount: 150 } as const;

export type Said = "accepted" | "completed" | "collected" | "rejected" | "returned";

/** `nth` names one of the last payments, so that much happens to each. */
export type Reason = "MS03" | "MD01" | "AC04";

/** `account` is the number of an external account. */
export type Command =
  | { readonly do: "payout" | "pull"; readonly amount: number; readonly account: number }
  /** A mandate is signed, or the last one ends; micro-deposits begin, or are told. */
  | { readonly do: "sign" | "end" | "verify" | "confirm"; readonly account: number }
  | { readonly do: "approve" | "decline" | "cancel" | "send" | "clear"; readonly nth: number }
  | {
      readonly do: "report";
      readonly nth: number;
      readonly said: Said;
      /** What comes back of a payout. */
      readonly amount?: number | undefined;
      /** The entry that says that it came back. */
      readonly entry?: string | undefined;
      readonly reason: Reason;
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
  /** Of the payment, or the mandate. */
  readonly key: string;
  /** By which it is pulled. */
  readonly mandate?: string | undefined;
  /** Its `Idempotency-Key`, or event's id. */
  readonly id: string;
}

export interface Mandate {
  readonly key: string;
  readonly account: number;
  status: "active" | "cancelled";
  sequence: "first" | "recurring";
}

interface Account {
  status: "new" | "pending" | "verified" | "failed" | "suspended";
  verifications: number;
  /** The micro-deposits of its last verification. */
  told: readonly string[];
}

type Kind = "payout" | "pull" | "micro_deposit";

interface Payment {
  readonly key: string;
  readonly kind: Kind;
  readonly account: number;
  /** The amounts of micro-deposits are drawn. */
  readonly amount: number;
  readonly mandate?: string | undefined;
  readonly isFirst?: boolean;
  entries: { readonly name: string; readonly amount: number }[];
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
  readonly accounts: Account[];
  readonly mandates: Mandate[];
}

export const accountCount = 3;
export const firstMandate = "mandate-1";

export function newModel(ledger: number, own: number): Model {
  const accounts = Array.from({ length: accountCount }, (_, number): Account => {
    return { status: number === 0 ? "verified" : "new", verifications: 0, told: [] };
  });
  return {
    ...{ ledger, pending: 0, isByWallet: false, limits: 0, limit: undefined, holds: [] },
    ...{ cards: { funded: own, toppedUp: own }, payments: [], accounts },
    mandates: [{ key: firstMandate, account: 0, status: "active", sequence: "first" }],
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
      return create(model, named, command);
    case "sign":
      model.mandates.push({ key, account: command.account, status: "active", sequence: "first" });
      return { ...answered("active"), sequence: "first" };
    case "end": {
      const mandate = findMandate(model, key);
      if (mandate.status !== "active") return illegal;
      mandate.status = "cancelled";
      return { ...answered("cancelled"), sequence: mandate.sequence };
    }
    case "verify":
      return verify(model, key, command.account);
    case "confirm": {
      const account = accountOf(model, command);
      const isOpen =
        account.told.length > 0 && (account.status === "pending" || account.status === "verified");
      if (isOpen) account.status = "verified";
      return isOpen ? answered("verified") : illegal;
    }
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

function findMandate({ mandates }: Model, key: string | undefined): Mandate {
  const mandate = mandates.find((one) => one.key === key);
  if (!mandate) throw new Error(`There is no mandate ${key}.`);
  return mandate;
}

function accountOf({ accounts }: Model, { account }: { readonly account: number }): Account {
  const found = accounts[account];
  if (!found) throw new Error(`There is no account ${account}.`);
  return found;
}

type Created = Extract<Command, { do: "payout" | "pull" }>;

const fresh = { wasSent: false, wasRejected: false, returnedAgain: false };

function create(
  model: Model,
  { key, mandate: named }: Named,
  { do: kind, amount, account }: Created,
): object {
  if (accountOf(model, { account }).status !== "verified")
    return { status: 409, code: "EXTERNAL_ACCOUNT_NOT_VERIFIED" };
  const mandate = kind === "pull" ? findMandate(model, named) : undefined;
  if (mandate?.status === "cancelled") return { status: 409, code: "MANDATE_CANCELLED" };
  const lacks = kind === "payout" && model.ledger - heldIn(model) < amount + fee;
  const isAwaiting = kind === "payout" && amount > approvalAbove;
  const status = lacks ? "declined" : isAwaiting ? "awaiting_approval" : "pending";
  const payment = { key, kind, account, amount, status, entries: [], ...fresh };
  if (!mandate) {
    model.payments.push(payment);
    return answered(status);
  }
  const { sequence } = mandate;
  model.payments.push({ ...payment, mandate: mandate.key, isFirst: sequence === "first" });
  mandate.sequence = "recurring";
  return { ...answered(status), sequence };
}

const mostVerifications = 3;

function verify(model: Model, key: string, number: number): object {
  const account = accountOf(model, { account: number });
  if (account.status === "pending" || account.status === "verified") return illegal;
  if (account.verifications === mostVerifications) return { status: 409, code: "LIMIT_REACHED" };
  const told = [`${key}-0`, `${key}-1`];
  for (const one of told)
    model.payments.push({
      ...{ key: one, kind: "micro_deposit", account: number, amount: 0, status: "pending", entries: [] },
      ...fresh,
    });
  Object.assign(account, { status: "pending", verifications: account.verifications + 1, told });
  return answered("pending");
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
  if (what === "approve" && accountOf(model, payment).status !== "verified")
    return { status: 409, code: "EXTERNAL_ACCOUNT_NOT_VERIFIED" };
  payment.status = { approve: "pending", decline: "declined", cancel: "cancelled" }[what];
  const { sequence } = payment.mandate === undefined ? {} : cancelFirst(model, payment);
  return { ...answered(payment.status), ...(sequence && { sequence }) };
}

/** The first of a mandate, if it is cancelled, leaves the next one the first. */
function cancelFirst(model: Model, { mandate, isFirst }: Payment) {
  if (isFirst) findMandate(model, mandate).sequence = "first";
  return { sequence: isFirst ? "first" : "recurring" } as const;
}

type Report = Extract<Command, { do: "report" }>;

/** Money moves once each way, in whichever order the bank says so. */
function report(model: Model, payment: Payment, said: Report): object {
  const before = payment.status;
  const result = hear(model, payment, said);
  const isNews = "result" in result && (result.result === "applied" || result.result === "kept");
  const isBack = said.said === "rejected" || said.said === "returned";
  if (isNews) heed(model, payment, before, { ...said, isBack, isStep: result.result === "applied" });
  return result;
}

function hear(model: Model, payment: Payment, { said, amount, entry }: Report): { result: string } {
  if (!payment.wasSent) return refused("NOT_SENT");
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
  if (said === "returned") return comeBack(model, payment, amount ?? payment.amount, isOpen, entry);
  if (!isOpen) return { result: "known" };
  payment.status = said;
  if (kind === "pull") model.pending += payment.amount;
  else if (kind === "payout") model.ledger -= payment.amount + fee;
  return { result: "applied" };
}

const refused = (reason: string) => ({ result: "refused", reason });

interface Heard extends Report {
  readonly isBack: boolean;
  readonly isStep: boolean;
}

/** What it means for the account and the mandate. */
function heed(model: Model, payment: Payment, before: string, { said, reason, isBack, isStep }: Heard): void {
  const account = accountOf(model, payment);
  const isBounced = isBack && isStep && account.told.includes(payment.key);
  if (account.status === "pending" && isBounced) account.status = "failed";
  else if (account.status === "verified" && isBack && reason === "AC04") account.status = "suspended";
  if (payment.kind !== "pull") return;
  const mandate = findMandate(model, payment.mandate);
  if (isBack && reason !== "MS03") mandate.status = "cancelled";
  else if (isStep && payment.isFirst && said === "rejected") mandate.sequence = "first";
  else if (isStep && payment.isFirst && before === "rejected") mandate.sequence = "recurring";
}

/** An entry is money: entries come to more than a report had, up to the whole. */
function comeBack(
  model: Model,
  payment: Payment,
  back: number,
  isOpen: boolean,
  entry: string | undefined,
): { result: string } {
  const { kind, status, amount, returned = 0, returnedAgain, entries } = payment;
  if (back > amount) return refused("AMOUNT_TOO_LARGE");
  const told = entry === undefined ? [] : [{ name: entry, amount: back }];
  if (status !== "returned") {
    if (kind === "payout") model.ledger += back - (isOpen ? amount + fee : 0);
    else if (status === "collected") model.pending -= amount;
    else if (status === "completed" && kind === "pull") model.ledger -= amount;
    Object.assign(payment, { status: "returned", returned: back, entries: told });
    return { result: "applied" };
  }
  const isSaid = kind !== "payout" || (entry === undefined && (back === returned || returnedAgain));
  if (isSaid || entries.some((one) => one.name === entry && one.amount === back)) return { result: "known" };
  const sum = [...entries, ...told].reduce((all, one) => all + one.amount, 0);
  if (told.length > 0 && sum > amount) return refused("AMOUNT_TOO_LARGE");
  payment.entries = [...entries, ...told];
  if (told.length > 0 && sum >= returned) {
    model.ledger += sum - returned;
    payment.returned = sum;
    return { result: "applied" };
  }
  payment.returnedAgain = true;
  return { result: returnedAgain ? "applied" : "kept" };
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
  const { ledger, pending, cards, payments, limit, accounts, mandates } = model;
  return {
    wallet: { available: ledger - held, held, pending },
    limit: limit && { amount: limit.amount, used: limit.used },
    cards,
    payments: payments.map(({ key, status }) => `${key} ${status}`).toSorted(),
    accounts: accounts.map(({ status }) => status),
    mandates: mandates.map(({ key, status, sequence }) => `${key} ${status} ${sequence}`).toSorted(),
    /** What the Program's reserve has paid beside the micro-deposits that have left. */
    reserve: 0,
  };
}

export function name(model: Model, given: Command, newId: () => string): Named | undefined {
  const { payments, mandates, holds } = model;
  if (given.do === "release") {
    const { key } = holds.findLast(({ isOpen }) => isOpen) ?? {};
    return key === undefined ? undefined : { command: given, key, id: newId() };
  }
  if (given.do === "end" || given.do === "pull") {
    const mandate = mandates.findLast(({ account }) => account === given.account)?.key;
    if (mandate === undefined) return undefined;
    return { command: given, key: given.do === "end" ? mandate : newId(), id: newId(), mandate };
  }
  if (!("nth" in given)) return { command: given, key: newId(), id: newId() };
  const payment = payments[payments.length - 1 - (given.nth % Math.min(payments.length, 3))];
  if (!payment) return undefined;
  const { key, kind } = payment;
  const isOfPayouts = given.do === "approve" || given.do === "decline";
  if ((kind !== "payout" && isOfPayouts) || (kind !== "pull" && given.do === "clear")) return undefined;
  if (kind === "micro_deposit" && given.do === "cancel") return undefined;
  return { command: given.do === "report" ? reportOf(kind, given) : given, key, id: newId() };
}

/** What is paid is never collected, and only a payout comes back in part. */
function reportOf(kind: Kind, given: Report): Report {
  const said = kind !== "pull" && given.said === "collected" ? "completed" : given.said;
  if (kind === "payout") return { ...given, said };
  return { ...given, said, amount: undefined, entry: undefined };
}
