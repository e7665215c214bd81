import {
  type Asked,
  applied,
  byPlatform,
  declined,
  illegal,
  isUsable,
  notFound,
  type Outcome,
  type Resolved,
  reasonOf,
} from "./answers.ts";
import { isVerified, namedProof, takeProof } from "./authentications.ts";
import { type Authorization, availableOf, type Card, heldBy, increase, isDeclined, openOf } from "./card.ts";
import { plasticReason } from "./plastics.ts";
import { tokenReason } from "./wallet-tokens.ts";

export function authorizationIn({ authorizations }: Card, slot: number): Authorization {
  const authorization = authorizations.get(slot) ?? {
    authorized: 0,
    released: 0,
    finished: false,
    declined: false,
    decided: false,
    cleared: 0,
    posted: [],
    refunded: 0,
    reversed: false,
    reserved: [],
    isOnlyAsked: false,
    hasTotal: false,
    dated: [],
  };
  authorizations.set(slot, authorization);
  return authorization;
}

export function changed(authorization: Authorization): Authorization {
  authorization.isOnlyAsked = false;
  return authorization;
}

const addedBy = (authorization: Authorization, amount: number, isIncrement: boolean) =>
  heldBy(increase(structuredClone(authorization), amount, isIncrement)) - heldBy(authorization);

export function request(
  card: Card,
  command: Resolved & { do: "authorization" },
  id: string,
): Asked | Outcome {
  const { slot, amount, supportsPartial, plastic, token } = command;
  const before = card.authorizations.get(slot);
  if (before?.decided) return illegal;
  const known = before ?? authorizationIn(structuredClone(card), slot);
  const added = addedBy(known, amount, false);
  const available = availableOf(card);
  const ofToken = tokenReason(card, token);
  // A token goes on while a plastic is in the mail.
  const reason = token === undefined ? plasticReason(card, plastic) : ofToken;
  const canPay = isUsable(card) && reason === undefined;
  const whole = (before && added === 0 && ofToken === undefined) || (canPay && available >= added);
  const mayBePartial = canPay && !before && card.partialApproval && supportsPartial;
  const affordable = whole ? amount : mayBePartial ? Math.max(0, available) : 0;
  const isUnverified = card.wantsVerified && !isVerified(card, command, slot);
  const isControlled =
    affordable > 0 && (isUnverified || isDeclined(card, whole ? added : affordable, before));
  const approved = isControlled ? 0 : affordable;
  const authorization = authorizationIn(card, slot);
  authorization.decided = true;
  if (approved > 0) {
    authorization.reserved.push({ id, amount: approved, isIncrement: false });
    authorization.isOnlyAsked = !before;
    return { ...command, id, reserved: approved, proof: takeProof(card, namedProof(command), slot) };
  }
  if (!before) decline(authorization);
  card.lines.push({ transType: 77, transStatus: 4, type: "DR", amount });
  return byPlatform(card, declined(isControlled ? "CONTROL_DECLINED" : (reason ?? reasonOf(card))));
}

/** A total that comes later begins it anew. */
function decline(authorization: Authorization): void {
  authorization.finished = true;
  authorization.declined = true;
}

export function requestMore(
  card: Card,
  command: Resolved & { do: "increment" },
  id: string,
): Asked | Outcome {
  const { slot, amount } = command;
  const authorization = card.authorizations.get(slot);
  const isUnknown = !authorization || authorization.isOnlyAsked;
  const increment = { slot, approved: 0 };
  if (!isUnknown || command.isLast) card.increments.set(id, increment);
  if (isUnknown) return notFound;
  const added = addedBy(authorization, amount, true);
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
  card.increments.set(id, { slot });
  changed(authorization).reserved.push({ id, amount, isIncrement: true });
  return { ...command, id, reserved: amount };
}

/** What its question ended with. */
export function authorize(authorization: Authorization, id: string, approved: number): void {
  if (authorization.isOnlyAsked && approved === 0) decline(authorization);
  const asked = authorization.reserved.findIndex((one) => one.id === id);
  const [{ isIncrement } = { isIncrement: false }] = authorization.reserved.splice(asked, 1);
  authorization.isOnlyAsked = false;
  if (approved > 0) increase(authorization, approved, isIncrement);
}

export function advise(card: Card, command: Resolved & { do: "advice" }): Outcome {
  const authorization = changed(authorizationIn(card, command.slot));
  if (command.total) setTotal(authorization, command.amount);
  else increase(authorization, command.amount, true);
  return applied({ approved: true, amount: command.amount });
}

type Dated = Pick<Resolved & { do: "datedAdvice" | "datedReversal" }, "dated" | "amount" | "occurred">;

/** Dated totals replace what occurred before them, also the platform's own decline. */
export function adviseDated(card: Card, { dated, amount, occurred }: Dated): Outcome {
  const authorization = changed(authorizationIn(card, dated));
  if (authorization.declined) authorization.finished = false;
  authorization.declined = false;
  authorization.dated.push({ occurred, isLimit: false, amount });
  return applied({ approved: true, amount });
}

export function limitDated(card: Card, { dated, amount, occurred }: Dated): Outcome {
  const authorization = changed(authorizationIn(card, dated));
  if (authorization.finished) return illegal;
  const before = openOf(authorization);
  authorization.dated.push({ occurred, isLimit: true, amount });
  return applied({ amount: before - openOf(authorization) });
}

/** Cleared or not: it replaces what came before it, also the platform's own decline. */
function setTotal(authorization: Authorization, amount: number): void {
  if (authorization.declined) authorization.finished = false;
  authorization.declined = false;
  authorization.authorized = amount + authorization.released - authorization.cleared;
  authorization.hasTotal = true;
  delete authorization.limit;
}

export function release(
  card: Card,
  slot: number,
  { amount, total, mayBeDone }: Pick<Resolved & { do: "reversal" }, "amount" | "total" | "mayBeDone">,
): Outcome {
  const authorization = authorizationIn(card, slot);
  const left = total ? (amount ?? 0) : 0;
  if (authorization.finished) return mayBeDone ? beDone(authorization, left) : illegal;
  const before = openOf(changed(authorization));
  if (amount === undefined) Object.assign(authorization, { finished: true, reversed: true });
  else if (total) authorization.limit = Math.min(authorization.limit ?? amount, amount);
  else {
    authorization.released += amount;
    if (authorization.limit !== undefined) authorization.limit -= amount;
  }
  return applied({ amount: before - openOf(authorization) });
}

/** Nothing is left to reverse: after a decline, it says what an advice may still hold. */
export function beDone(one: Authorization, left: number): Outcome {
  return one.cleared > left ? illegal : note(one, left);
}

export function note(one: Authorization, left: number): Outcome {
  if (one.declined && left > 0) one.limit = Math.min(one.limit ?? left, left);
  else {
    one.reversed ||= one.declined;
    one.declined = false;
  }
  return applied({ amount: 0 });
}

/** What the increment was approved for, which is known once it is decided. */
export function releaseIncrement(card: Card, { target = "" }: Resolved): Outcome {
  const { slot = 0, approved } = card.increments.get(target) ?? {};
  if (approved === undefined) return notFound;
  if (approved === 0) return applied({ amount: 0 });
  return release(card, slot, { amount: approved, total: false, mayBeDone: false });
}

export function expireByNetwork(card: Card, slot: number): Outcome {
  const authorization = authorizationIn(card, slot);
  if (authorization.finished) return illegal;
  const released = openOf(changed(authorization));
  authorization.finished = true;
  return applied({ amount: released });
}

export function expire(card: Card, slot: number): boolean {
  const authorization = card.authorizations.get(slot);
  if (!authorization || openOf(authorization) === 0) return false;
  changed(authorization).finished = true;
  return true;
}
