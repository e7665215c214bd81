import {
  type Asked,
  applied,
  byPlatform,
  declined,
  illegal,
  isUsable,
  type Outcome,
  post,
  type Resolved,
  reasonOf,
  referenceExists,
  takesReference,
} from "./answers.ts";
import { availableOf, type Card, isDeclined, type Withdrawal, withinLimit } from "./card.ts";
import { addDebit, takeBack } from "./debits.ts";
import { plasticReason } from "./plastics.ts";
import { tokenReason } from "./wallet-tokens.ts";

function withdrawalIn({ withdrawals }: Card, slot: number): Withdrawal {
  const withdrawal = withdrawals.get(slot) ?? {
    decided: false,
    finished: false,
    declined: false,
    isOnlyAsked: false,
    cleared: false,
    left: 0,
  };
  withdrawals.set(slot, withdrawal);
  return withdrawal;
}

export function withdraw(card: Card, command: Resolved & { do: "atm" }, id: string): Asked | Outcome {
  const { amount, fee, advice, total, reply, cash: slot, reference, token } = command;
  const before = slot === undefined ? undefined : card.withdrawals.get(slot);
  if (before?.decided && !advice) return illegal;
  const withdrawal = slot === undefined ? undefined : withdrawalIn(card, slot);
  if (withdrawal && !advice) withdrawal.decided = true;
  if (before?.finished && !before.declined && before.left === 0) {
    if (!before.posted) before.owedFee ??= fee;
    card.lines.push({ transType: 77, transStatus: 4, type: "DR", amount });
    if (advice && total) return applied({ approved: true, amount });
    return advice ? declined("AUTHORIZATION_FINISHED") : byPlatform(card, declined("AUTHORIZATION_FINISHED"));
  }
  if (before?.posted) {
    if (!advice) return byPlatform(card, applied({ approved: true, amount: Math.min(amount, before.left) }));
    return total ? changeTo(card, before, { id, amount }) : illegal;
  }
  const limited = total ? amount : withinLimit(before, amount);
  if (total) delete before?.limit;
  // Its settlement came first: only its fee is charged.
  if (before && before.left > 0)
    return { ...payCash(card, 0, { id, fee, slot }), amount: Math.min(amount, before.left) };
  const reason = token === undefined ? plasticReason(card, undefined) : tokenReason(card, token);
  const cannotPay = reason !== undefined || !isUsable(card) || availableOf(card) < limited + fee;
  const isTaken = reference !== undefined && card.references.has(reference);
  const cash = { id, fee, slot, reference };
  if (advice) return isTaken ? referenceExists : payCash(card, limited, cash);
  if (cannotPay || isDeclined(card, limited)) {
    if (withdrawal && !withdrawal.finished) close(withdrawal);
    card.lines.push({ transType: 77, transStatus: 4, type: "DR", amount });
    return byPlatform(card, declined(cannotPay ? (reason ?? reasonOf(card)) : "CONTROL_DECLINED"));
  }
  if (isTaken) return referenceExists;
  if (withdrawal) withdrawal.isOnlyAsked = !before;
  card.asked.set(id, { amount: limited, fee, slot });
  return { cash, amount, reserved: limited, reply };
}

function close(withdrawal: Withdrawal): void {
  withdrawal.finished = true;
  withdrawal.declined = true;
}

/** To the total of an advice, or to what was settled, which is the last word. */
function changeTo(
  card: Card,
  withdrawal: Withdrawal,
  { id, amount, settles = false }: { id: string; amount: number; settles?: boolean },
): Outcome {
  const { left, posted = [], cleared } = withdrawal;
  const added = cleared ? 0 : amount - left;
  if (added < 0 && !takeBack(card, posted, -added)) return illegal;
  if (!cleared) withdrawal.left = amount;
  withdrawal.cleared ||= settles;
  if (added > 0) {
    withdrawal.posted = [...posted, id];
    addDebit(card, id, added, true);
  }
  if (added !== 0) post(card, added > 0 ? 38 : 50, added > 0 ? "DR" : "CR", Math.abs(added));
  return settles ? applied({ amount }) : applied({ approved: true, amount });
}

/** In the amount that was really paid out, once it is known that it is cash. */
export function settleCash(
  card: Card,
  { cash, amount }: Resolved & { do: "cashClearing" },
  id: string,
): Outcome {
  const withdrawal = withdrawalIn(card, cash);
  withdrawal.isOnlyAsked = false;
  const { posted, owedFee, cleared } = withdrawal;
  if (posted || owedFee !== undefined) {
    if (cleared) return illegal;
    if (owedFee) card.fees.set(id, { feeType: 3, amount: owedFee, reversed: false });
    withdrawal.posted ??= [];
    return changeTo(card, withdrawal, { id, amount, settles: true });
  }
  withdrawal.left += amount;
  withdrawal.finished = true;
  withdrawal.declined = false;
  addDebit(card, id, amount, false);
  return post(card, 3, "DR", amount);
}

/** What reversals have left meanwhile. */
export function payAsked(card: Card, approved: number, cash: NonNullable<Asked["cash"]>): Outcome {
  const withdrawal = cash.slot === undefined ? undefined : withdrawalIn(card, cash.slot);
  return payCash(card, withinLimit(withdrawal, approved), cash);
}

/** Closes what nothing but its question has happened to. */
export function declineAsked(card: Card, slot: number | undefined): void {
  const withdrawal = slot === undefined ? undefined : withdrawalIn(card, slot);
  if (withdrawal?.isOnlyAsked) close(withdrawal);
  if (withdrawal) withdrawal.isOnlyAsked = false;
}

function payCash(card: Card, amount: number, cash: NonNullable<Asked["cash"]>): Outcome {
  const { id, fee, slot, reference } = cash;
  takesReference(card, reference);
  if (slot === undefined) card.postings.push(amount);
  else {
    const withdrawal = withdrawalIn(card, slot);
    Object.assign(withdrawal, {
      ...{ posted: [id], cleared: withdrawal.left > 0, left: withdrawal.left + amount },
      ...{ finished: true, declined: false, isOnlyAsked: false },
    });
  }
  if (fee > 0) card.fees.set(id, { feeType: 3, amount: fee, reversed: false });
  addDebit(card, id, amount, true);
  return { ...post(card, 36, "DR", amount), approved: true };
}

/** All of it, or down to an amount. Nothing that is disputed is given back. */
export function giveBack(card: Card, { cash, amount = 0 }: Resolved & { do: "cashReversal" }): Outcome {
  const withdrawal = withdrawalIn(card, cash);
  const { posted, left, cleared } = withdrawal;
  withdrawal.isOnlyAsked = false;
  if (posted) {
    // A limit, of which an earlier total can still come.
    if (0 < left && left <= amount && !cleared) return applied({ amount: 0 });
    if (left <= amount || cleared || !takeBack(card, posted, left - amount)) return illegal;
    withdrawal.left = amount;
    return post(card, 50, "CR", left - amount);
  }
  if (withdrawal.finished) return illegal;
  if (amount === 0) withdrawal.finished = true;
  else withdrawal.limit = Math.min(withdrawal.limit ?? amount, amount);
  return applied({ amount: 0 });
}
