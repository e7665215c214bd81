import {
  type Asked,
  applied,
  byPlatform,
  declined,
  illegal,
  isAsked,
  isUsable,
  notFound,
  type Outcome,
  post,
  type Resolved,
  reasonOf,
  referenceExists,
  takesReference,
} from "./answers.ts";
import {
  advise,
  adviseDated,
  authorizationIn,
  authorize,
  changed,
  expire,
  limitDated,
  release,
  releaseIncrement,
  request,
  requestMore,
} from "./authorizations.ts";
import { addDebit, availableOf, type Card, type Debit, freeOf, ledgerOf, leftOf } from "./card.ts";
import { declineAsked, giveBack, payAsked, settleCash, withdraw } from "./withdrawals.ts";

/** Applies the command to the card and returns the expected answer. `id` is its event's. */
export function happen(card: Card, command: Resolved, id: string): Outcome {
  return finish(card, begin(card, command, id));
}

/** What the platform does before it asks, or all of it if it does not ask. */
export function begin(card: Card, command: Resolved, id: string): Asked | Outcome {
  if (command.do === "authorization") return request(card, command, id);
  if (command.do === "increment") return requestMore(card, command, id);
  return command.do === "atm" ? withdraw(card, command, id) : happenAtOnce(card, command, id);
}

/** What the platform does with the answer. */
export function finish(card: Card, begun: Asked | Outcome): Outcome {
  if (!isAsked(begun)) return begun;
  const { slot, id = "", cash, amount, reserved } = begun;
  const [approved, decidedBy] = card.hasReceiver ? decisionOf(begun) : ([reserved, undefined] as const);
  const by = decidedBy ? { decidedBy } : {};
  if (cash) card.asked.delete(cash.id);
  if (slot !== undefined) authorize(authorizationIn(card, slot), id, approved);
  const increment = card.increments.get(id);
  if (increment) increment.approved = approved;
  const isFinished = cash?.slot !== undefined && card.withdrawals.get(cash.slot)?.finished;
  if (isFinished && begun.reply !== "lost") {
    card.lines.push({ transType: 77, transStatus: 4, type: "DR", amount });
    return byPlatform(card, declined("AUTHORIZATION_FINISHED"));
  }
  const isSettled = cash?.reference !== undefined && card.references.has(cash.reference);
  if (cash && approved > 0 && isSettled) {
    declineAsked(card, cash.slot);
    card.lines.push({ transType: 77, transStatus: 4, type: "DR", amount });
    return byPlatform(card, declined("AUTHORIZATION_FINISHED"));
  }
  if (cash && approved > 0) return { ...payAsked(card, approved, cash), ...by };
  if (approved > 0) return applied({ approved: true, amount: approved, ...by });
  if (cash) declineAsked(card, cash.slot);
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

type AtOnce = Exclude<Resolved, { do: "authorization" | "increment" | "atm" }>;

function happenAtOnce(card: Card, command: AtOnce, id: string): Outcome {
  switch (command.do) {
    case "advice":
      return advise(card, command);
    case "reversal":
      return release(card, command.slot, command);
    case "incrementReversal":
      return releaseIncrement(card, command);
    case "datedAdvice":
      return adviseDated(card, command);
    case "datedReversal":
      return limitDated(card, command);
    case "expiry":
      return release(card, command.slot, { total: false, mayBeDone: false });
    case "cashReversal":
      return giveBack(card, command);
    case "cashClearing":
      return settleCash(card, command, id);
    case "deadline":
      return { expired: expire(card, command.slot) };
    case "clearing": {
      if (!takesReference(card, command.reference)) return referenceExists;
      const authorization = changed(authorizationIn(card, command.slot));
      authorization.cleared += command.amount;
      if (command.final) Object.assign(authorization, { finished: true, declined: false });
      else authorization.released += command.amount;
      return debit(card, id, command.amount);
    }
    case "forcePost":
      if (!takesReference(card, command.reference)) return referenceExists;
      card.postings.push(command.amount);
      return debit(card, id, command.amount);
    case "refund":
      if (!takesReference(card, command.reference)) return referenceExists;
      card.refunds.set(id, { amount: command.amount, reversed: false });
      return post(card, 54, "CR", command.amount);
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
      card.deposits.set(id, {
        ...{ amount: command.amount, returns: [] },
        status: command.pending ? "pending" : "cleared",
      });
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
      const left = leftOf(deposit);
      const { amount = left } = command;
      const isPending = deposit.status === "pending";
      if (amount > left || (isPending ? amount < left : deposit.status !== "cleared")) return illegal;
      if (!isPending) deposit.returns.push(amount);
      if (amount === left) deposit.status = isPending ? "reversed" : "returned";
      return applied();
    }
    case "inquiry": {
      if (!isUsable(card)) {
        card.lines.push({ transType: 77, transStatus: 4, type: "DR", amount: 0 });
        return declined(reasonOf(card));
      }
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
    case "split":
      return {};
  }
}

function debit(card: Card, id: string, amount: number): Outcome {
  addDebit(card, id, amount, false);
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
  if (amount === 0 || amount > freeOf(debited)) return illegal;
  debited.claimed += amount;
  const { byPin } = debited;
  card.chargebacks.set(id, { amount, status: 0, of: debited });
  post(card, byPin ? 42 : 4, "CR", 0);
  return post(card, byPin ? 44 : 6, "CR", amount);
}

function decide(
  card: Card,
  chargeback: { amount: number; status: number; of: Debit } | undefined,
  status: 1 | 2 | 3 | 4 | 5,
): Outcome {
  if (!chargeback) return notFound;
  if (chargeback.status > 1 || (status === 1 && chargeback.status === 1)) return illegal;
  chargeback.status = status;
  const isReleased = status === 3 || status === 5;
  if (isReleased) chargeback.of.claimed -= chargeback.amount;
  const [ofPurchase, ofPinDebit, type] = (
    { 1: [10, 42, "DR"], 2: [5, 43, "CR"], 3: [7, 45, "DR"], 4: [9, 47, "CR"], 5: [8, 46, "DR"] } as const
  )[status];
  return post(card, chargeback.of.byPin ? ofPinDebit : ofPurchase, type, isReleased ? chargeback.amount : 0);
}
