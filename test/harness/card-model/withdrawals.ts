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
} from "./answers.ts";
import { availableOf, type Card, isDeclined, type Withdrawal, withinLimit } from "./card.ts";

function withdrawalIn({ withdrawals }: Card, slot: number): Withdrawal {
  const withdrawal = withdrawals.get(slot) ?? {
    decided: false,
    finished: false,
    declined: false,
    isOnlyAsked: false,
    left: 0,
  };
  withdrawals.set(slot, withdrawal);
  return withdrawal;
}

export function withdraw(card: Card, command: Resolved & { do: "atm" }, id: string): Asked | Outcome {
  const { amount, fee, advice, reply, cash: slot } = command;
  const before = slot === undefined ? undefined : card.withdrawals.get(slot);
  if (before?.posted || (before?.decided && !advice)) return illegal;
  const isReversed = before?.finished === true && !before.declined;
  const limited = withinLimit(before, amount);
  const cannotPay = !isUsable(card) || availableOf(card) < limited + fee;
  const isApproved = !isReversed && (advice || !(cannotPay || isDeclined(card, limited)));
  const withdrawal = slot === undefined ? undefined : withdrawalIn(card, slot);
  if (withdrawal) withdrawal.decided = true;
  if (!isApproved) {
    if (withdrawal && !withdrawal.finished) close(withdrawal);
    card.lines.push({ transType: 77, transStatus: 4, type: "DR", amount });
    const reason = isReversed ? "AUTHORIZATION_FINISHED" : cannotPay ? reasonOf(card) : "CONTROL_DECLINED";
    return advice ? declined(reason) : byPlatform(card, declined(reason));
  }
  if (advice) return payCash(card, limited, { id, fee, slot });
  if (withdrawal) withdrawal.isOnlyAsked = !before;
  card.asked.set(id, { amount: limited, fee, slot });
  return { cash: { id, fee, slot }, amount, reserved: limited, reply };
}

function close(withdrawal: Withdrawal): void {
  withdrawal.finished = true;
  withdrawal.declined = true;
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

function payCash(card: Card, amount: number, { id, fee, slot }: NonNullable<Asked["cash"]>): Outcome {
  if (slot === undefined) card.postings.push(amount);
  else
    Object.assign(withdrawalIn(card, slot), {
      ...{ posted: { id, amount }, left: amount },
      ...{ finished: true, declined: false, isOnlyAsked: false },
    });
  if (fee > 0) card.fees.set(id, { feeType: 3, amount: fee, reversed: false });
  card.debits.set(id, { amount, disputed: false, byPin: true });
  return { ...post(card, 36, "DR", amount), approved: true };
}

/** All of it, or down to an amount. Once a part is given back, it cannot be disputed. */
export function giveBack(card: Card, { cash, amount = 0 }: Resolved & { do: "cashReversal" }): Outcome {
  const withdrawal = withdrawalIn(card, cash);
  const { posted, left } = withdrawal;
  withdrawal.isOnlyAsked = false;
  if (posted) {
    const debited = card.debits.get(posted.id);
    const isFirst = left === posted.amount;
    if (left <= amount || (isFirst && debited?.disputed)) return illegal;
    if (debited) debited.disputed = true;
    withdrawal.left = amount;
    return post(card, 50, "CR", left - amount);
  }
  if (withdrawal.finished) return illegal;
  if (amount === 0) withdrawal.finished = true;
  else withdrawal.limit = Math.min(withdrawal.limit ?? amount, amount);
  return applied({ amount: 0 });
}
