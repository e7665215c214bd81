import { type Authorization, availableOf, type Card, heldBy, isDeclined, ledgerOf, openOf } from "./card.ts";
import type { Command, Reply } from "./commands.ts";

/** `target`: the id of the event that `nth` selects; `none` if there is none. */
export type Resolved = Command & { readonly target?: string };

/** What a command is answered, as far as the model can know: no ids. */
export type Outcome = Readonly<Record<string, unknown>>;

const notFound: Outcome = { outcome: "refused", code: "NOT_FOUND" };
const illegal: Outcome = { outcome: "refused", code: "ILLEGAL_TRANSITION" };
const applied = (more: object = {}): Outcome => ({ outcome: "applied", ...more });
const declined = (declineReason: string): Outcome => applied({ approved: false, declineReason, amount: 0 });

/** Applies the command to the card and returns the expected answer. `id` is its event's. */
export function happen(card: Card, command: Resolved, id: string): Outcome {
  return finish(card, begin(card, command, id));
}

/** What is asked about, and how it will be answered. */
export interface Asked {
  readonly slot: number;
  readonly amount: number;
  readonly reserved: number;
  readonly supportsPartial?: boolean;
  readonly reply: Reply | "lost";
}

/** What the platform does before it asks, or all of it if it does not ask. */
export function begin(card: Card, command: Resolved, id: string): Asked | Outcome {
  if (command.do === "authorization") return request(card, command);
  return command.do === "increment" ? requestMore(card, command) : happenAtOnce(card, command, id);
}

export function isAsked(begun: Asked | Outcome): begun is Asked {
  return "reserved" in begun;
}

/** What the platform does with the answer. */
export function finish(card: Card, begun: Asked | Outcome): Outcome {
  if (!isAsked(begun)) return begun;
  const { slot, amount, reserved } = begun;
  const [approved, decidedBy] = card.hasReceiver ? decisionOf(begun) : ([reserved, undefined] as const);
  const authorization = authorizationIn(card, slot);
  const wasOnlyAsked = authorization.isOnlyAsked;
  authorization.reserved -= reserved;
  authorization.isOnlyAsked = false;
  authorization.authorized += approved;
  const by = decidedBy ? { decidedBy } : {};
  if (approved > 0) return applied({ approved: true, amount: approved, ...by });
  if (wasOnlyAsked) authorization.finished = true;
  card.lines.push({ transType: 77, transStatus: 4, type: "DR", amount });
  return { ...declined(decidedBy === "receiver" ? "RECEIVER_DECLINED" : "STAND_IN_DECLINED"), ...by };
}

export const standIn = {
  timeout: { approveUpTo: 200 },
  connectionError: "approve",
  badAnswer: "decline",
} as const;

function decisionOf({ reserved, supportsPartial, reply }: Asked) {
  switch (reply) {
    case "approve":
      return [reserved, "receiver"] as const;
    case "part":
      return [supportsPartial ? partOf(reserved) : reserved, "receiver"] as const;
    case "decline":
      return [0, "receiver"] as const;
    case "timeout":
      return [reserved <= standIn.timeout.approveUpTo ? reserved : 0, "stand_in"] as const;
    case "connection_error":
      return [reserved, "stand_in"] as const;
    default:
      return [0, "stand_in"] as const;
  }
}

export const partOf = (amount: number) => Math.ceil(amount / 2);

type AtOnce = Exclude<Resolved, { do: "authorization" | "increment" }>;

function happenAtOnce(card: Card, command: AtOnce, id: string): Outcome {
  switch (command.do) {
    case "advice":
      changed(authorizationIn(card, command.slot)).authorized += command.amount;
      return applied({ approved: true, amount: command.amount });
    case "reversal":
    case "expiry":
      return release(card, command.slot, command.do === "reversal" ? command.amount : undefined);
    case "deadline":
      return { expired: expire(card, command.slot) };
    case "clearing": {
      const authorization = changed(authorizationIn(card, command.slot));
      authorization.cleared += command.amount;
      if (command.final) authorization.finished = true;
      else authorization.released += command.amount;
      return debit(card, id, command.amount);
    }
    case "forcePost":
      card.postings.push(command.amount);
      return debit(card, id, command.amount);
    case "refund":
      card.refunds.set(id, { amount: command.amount, reversed: false });
      return post(card, 54, "CR", command.amount);
    case "atm":
      return withdraw(card, command, id);
    case "fee":
      card.fees.set(id, { feeType: command.feeType, amount: command.amount, reversed: false });
      return applied({ amount: command.amount });
    case "refundReversal":
      return reverse(card, card.refunds.get(command.target ?? ""), 84, "DR");
    case "feeReversal":
      return reverse(card, card.fees.get(command.target ?? ""), 17, "CR");
    case "chargeback":
      return dispute(card, command, id);
    case "outcome":
      return decide(card, card.chargebacks.get(command.target ?? ""), command.status);
    case "deposit":
      card.deposits.set(id, { amount: command.amount, status: command.pending ? "pending" : "cleared" });
      return applied();
    case "clearDeposit":
    case "reverseDeposit": {
      const deposit = card.deposits.get(command.target ?? "");
      if (!deposit) return notFound;
      if (deposit.status !== "pending") return illegal;
      deposit.status = command.do === "clearDeposit" ? "cleared" : "reversed";
      return applied();
    }
    case "returnDeposit": {
      const deposit = card.deposits.get(command.target ?? "");
      if (!deposit) return notFound;
      if (deposit.status !== "pending" && deposit.status !== "cleared") return illegal;
      deposit.status = deposit.status === "pending" ? "reversed" : "returned";
      return applied();
    }
    case "inquiry": {
      const balances = { availableBalance: availableOf(card), ledgerBalance: ledgerOf(card) };
      return { ...post(card, 85, "DR", 0), ...balances };
    }
    case "status": {
      const changes = !card.blocked && card.active !== (command.to === 1);
      if (changes) card.active = command.to === 1;
      return { status: changes ? 200 : 409 };
    }
    case "block":
      card.blocked = command.blocked;
      return {};
  }
}

const isUsable = ({ active, blocked }: Card) => active && !blocked;

function reasonOf({ active, blocked }: Card): string {
  if (blocked) return "CARD_BLOCKED";
  return active ? "INSUFFICIENT_FUNDS" : "CARD_ON_HOLD";
}

function authorizationIn({ authorizations }: Card, slot: number): Authorization {
  const authorization = authorizations.get(slot) ?? {
    authorized: 0,
    released: 0,
    finished: false,
    decided: false,
    cleared: 0,
    reserved: 0,
    isOnlyAsked: false,
  };
  authorizations.set(slot, authorization);
  return authorization;
}

function changed(authorization: Authorization): Authorization {
  authorization.isOnlyAsked = false;
  return authorization;
}

function request(card: Card, command: Resolved & { do: "authorization" }): Asked | Outcome {
  const { slot, amount, supportsPartial } = command;
  const before = card.authorizations.get(slot);
  if (before?.decided) return illegal;
  const known = before ?? authorizationIn(structuredClone(card), slot);
  const added = heldBy({ ...known, authorized: known.authorized + amount }) - heldBy(known);
  const available = availableOf(card);
  const whole = (before && added === 0) || (isUsable(card) && available >= added);
  const mayBePartial = isUsable(card) && !before && card.partialApproval && supportsPartial;
  const affordable = whole ? amount : mayBePartial ? Math.max(0, available) : 0;
  const isControlled = affordable > 0 && isDeclined(card, whole ? added : affordable, before);
  const approved = isControlled ? 0 : affordable;
  const authorization = authorizationIn(card, slot);
  authorization.decided = true;
  if (approved > 0) {
    authorization.reserved += approved;
    authorization.isOnlyAsked = !before;
    return { ...command, reserved: approved };
  }
  if (!before) authorization.finished = true;
  card.lines.push({ transType: 77, transStatus: 4, type: "DR", amount });
  return byPlatform(card, declined(isControlled ? "CONTROL_DECLINED" : reasonOf(card)));
}

function byPlatform({ hasReceiver }: Card, outcome: Outcome): Outcome {
  return hasReceiver ? { ...outcome, decidedBy: "platform" } : outcome;
}

function withdraw(card: Card, { amount, fee, advice }: Resolved & { do: "atm" }, id: string): Outcome {
  const cannotPay = !isUsable(card) || availableOf(card) < amount + fee;
  if (!advice && (cannotPay || isDeclined(card, amount))) {
    card.lines.push({ transType: 77, transStatus: 4, type: "DR", amount });
    return declined(cannotPay ? reasonOf(card) : "CONTROL_DECLINED");
  }
  card.postings.push(amount);
  if (fee > 0) card.fees.set(id, { feeType: 3, amount: fee, reversed: false });
  card.debits.set(id, { amount, disputed: false, byPin: true });
  return { ...post(card, 36, "DR", amount), approved: true };
}

function requestMore(card: Card, command: Resolved & { do: "increment" }): Asked | Outcome {
  const { slot, amount } = command;
  const authorization = card.authorizations.get(slot);
  if (!authorization || authorization.isOnlyAsked) return notFound;
  const added =
    heldBy({ ...authorization, authorized: authorization.authorized + amount }) - heldBy(authorization);
  const missing = added > availableOf(card);
  const cannotPay = authorization.finished || !isUsable(card) || missing;
  const isControlled = !cannotPay && isDeclined(card, added, authorization);
  const reason = isControlled
    ? "CONTROL_DECLINED"
    : authorization.finished
      ? "AUTHORIZATION_FINISHED"
      : reasonOf(card);
  if (cannotPay || isControlled) {
    card.lines.push({ transType: 77, transStatus: 4, type: "DR", amount });
    return byPlatform(card, declined(reason));
  }
  changed(authorization).reserved += amount;
  return { ...command, reserved: amount };
}

function release(card: Card, slot: number, amount: number | undefined): Outcome {
  const authorization = authorizationIn(card, slot);
  if (authorization.finished) return illegal;
  const before = openOf(changed(authorization));
  if (amount === undefined) authorization.finished = true;
  else authorization.released += amount;
  return applied({ amount: before - openOf(authorization) });
}

function expire(card: Card, slot: number): boolean {
  const authorization = card.authorizations.get(slot);
  if (!authorization || openOf(authorization) === 0) return false;
  changed(authorization).finished = true;
  return true;
}

function post(card: Card, transType: number, type: "DR" | "CR", amount: number): Outcome {
  card.lines.push({ transType, transStatus: 3, type, amount });
  return applied({ amount });
}

function debit(card: Card, id: string, amount: number): Outcome {
  card.debits.set(id, { amount, disputed: false, byPin: false });
  return post(card, 3, "DR", amount);
}

function reverse(
  card: Card,
  original: { amount: number; reversed: boolean } | undefined,
  transType: number,
  type: "DR" | "CR",
): Outcome {
  if (!original) return notFound;
  if (original.reversed) return illegal;
  original.reversed = true;
  return post(card, transType, type, original.amount);
}

function dispute(card: Card, command: Resolved & { do: "chargeback" }, id: string): Outcome {
  const debited = card.debits.get(command.target ?? "");
  if (!debited) return notFound;
  const amount = command.amount ?? debited.amount;
  if (debited.disputed || amount > debited.amount) return illegal;
  debited.disputed = true;
  const { byPin } = debited;
  card.chargebacks.set(id, { amount, status: 0, byPin });
  post(card, byPin ? 42 : 4, "CR", 0);
  return post(card, byPin ? 44 : 6, "CR", amount);
}

function decide(
  card: Card,
  chargeback: { amount: number; status: number; byPin: boolean } | undefined,
  status: 1 | 2 | 3 | 4 | 5,
): Outcome {
  if (!chargeback) return notFound;
  if (chargeback.status > 1 || (status === 1 && chargeback.status === 1)) return illegal;
  chargeback.status = status;
  const [ofPurchase, ofPinDebit, type] = (
    { 1: [10, 42, "DR"], 2: [5, 43, "CR"], 3: [7, 45, "DR"], 4: [9, 47, "CR"], 5: [8, 46, "DR"] } as const
  )[status];
  return post(
    card,
    chargeback.byPin ? ofPinDebit : ofPurchase,
    type,
    status === 3 || status === 5 ? chargeback.amount : 0,
  );
}
