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
} from "./answers.ts";
import { authenticate, endChallenge } from "./authentications.ts";
import {
  advise,
  adviseDated,
  authorizationIn,
  authorize,
  expire,
  expireByNetwork,
  limitDated,
  release,
  releaseIncrement,
  request,
  requestMore,
} from "./authorizations.ts";
import { availableOf, type Card, ledgerOf, leftOf } from "./card.ts";
import { addEvidence, beDue, change, chargeBack, create, follow, takeStep } from "./disputes.ts";
import { activate, endOlder, plasticReason, replace } from "./plastics.ts";
import { clear, isSettlement, refundOf, reversePosted, reverseRefund, settle } from "./settlements.ts";
import { requestToken, stepToken } from "./wallet-tokens.ts";
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
  const proof = begun.proof === undefined ? undefined : card.proofs[begun.proof];
  if (proof && approved === 0) proof.usedBy = undefined;
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
  if (isSettlement(command)) return settle(card, command, id);
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
      return expireByNetwork(card, command.slot);
    case "cashReversal":
      return giveBack(card, command);
    case "cashClearing":
      return settleCash(card, command, id);
    case "deadline":
      return { expired: expire(card, command.slot) };
    case "clearing":
      return clear(card, command, id);
    case "postedReversal":
      return reversePosted(card, command, id);
    case "refundOf":
      return refundOf(card, command, id);
    case "fee":
      card.fees.set(id, { feeType: command.feeType, amount: command.amount, reversed: false });
      return applied({ amount: command.amount });
    case "refundReversal":
      return reverseRefund(card, command);
    case "feeReversal":
      return reverseFee(card, command);
    case "chargeback":
      return chargeBack(card, command, id);
    case "outcome":
    case "disputeOutcome":
      return follow(card, command);
    case "dispute":
      return create(card, command, id);
    case "disputeChange":
      return change(card, command);
    case "disputeStep":
      return takeStep(card, command);
    case "disputeDue":
      return beDue(card, command);
    case "evidence":
      return addEvidence(card, command);
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
      if (cannotBeUsed(card)) {
        card.lines.push({ transType: 77, transStatus: 4, type: "DR", amount: 0 });
        return declined(plasticReason(card, undefined) ?? reasonOf(card));
      }
      const balances = { availableBalance: availableOf(card), ledgerBalance: ledgerOf(card) };
      return { ...post(card, 85, "DR", 0), ...balances };
    }
    case "refundAuthorization":
      // Whatever it is made with: each number names its Card.
      if (!isUsable(card)) {
        card.lines.push({ transType: 77, transStatus: 4, type: "DR", amount: command.amount });
        return declined(reasonOf(card));
      }
      return { ...post(card, 87, "CR", 0), approved: true, amount: command.amount };
    case "status": {
      const changes = !card.blocked && card.active !== (command.to === 1);
      if (changes) card.active = command.to === 1;
      return { status: changes ? 200 : 409 };
    }
    case "replace":
      return replace(card, command);
    case "activate":
      return activate(card);
    case "endOlder":
      return endOlder(card);
    case "authenticate":
      return authenticate(card, command.challenged, command.token);
    case "challenge":
      return endChallenge(card, command.nth, command.end);
    case "token":
      return requestToken(card, command);
    case "tokenStep":
      return stepToken(card, command.reference, command.step);
    case "block":
      card.blocked = command.blocked;
      return {};
    case "close":
      Object.assign(card, { closed: true, active: false });
      return {};
    case "split":
      return {};
  }
}

const cannotBeUsed = (card: Card) => !isUsable(card) || plasticReason(card, undefined) !== undefined;

function reverseFee(card: Card, { target = "" }: Resolved): Outcome {
  const fee = card.fees.get(target);
  if (!fee) return notFound;
  if (fee.reversed) return illegal;
  fee.reversed = true;
  return post(card, 17, "CR", fee.amount);
}
