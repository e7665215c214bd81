import type { DecidedBy } from "../../contract/authorization-endpoint.ts";
import { FeeType, TransactionType } from "../../contract/enums.ts";
import { timestamp } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import { scheduledFeeMinor } from "../../tenancy/programs/program.ts";
import type { Card } from "../cards/card.ts";
import {
  closeHold,
  emptyHold,
  type Hold,
  heldMinor,
  holdWrites,
  isDeclined,
  withoutReservation,
} from "../holds/hold.ts";
import { withinLimits } from "../holds/totals.ts";
import { creditSettled, debitSettled, feeCharged } from "../ledger/postings.ts";
import { atmFee, newFee } from "../transactions/fee.ts";
import { reversedUpdate } from "../transactions/transaction.ts";
import { countedHoldWrites, countPosting } from "./counted.ts";
import { controlDecline, type Decline, findDecline, isUsableWithFunds, planDecline } from "./decline.ts";
import {
  type CardEventOf,
  type CardPlan,
  type CardSubject,
  holdBefore,
  illegal,
  newTransaction,
  notFound,
  type Rejected,
  requiredSettings,
  toMerchant,
} from "./plan.ts";
import { planReservation } from "./plan-reservation.ts";

type Withdrawal = CardSubject<CardEventOf<"atm_withdrawal">>;

const defaultDescription = "Foreign Cash Withdrawal";

export function describeWithdrawal({ description = defaultDescription }: Withdrawal["event"]): string {
  return description;
}

/**
 * Posts cash and fee together if the card is usable and has both amounts. Where the receiver is
 * asked, a hold reserves them first. Always posts an advice.
 */
export function planAtmWithdrawal(subject: Withdrawal): CardPlan | Rejected {
  const { event, card, at, account, hold, endpoint } = subject;
  if (!account) return notFound;
  const { authorizationId, advice } = event;
  if (hold && (hold.withdrawal || hold.authorizedMinor > 0 || (hold.decided && !advice))) return illegal;
  const before = authorizationId === undefined ? undefined : holdBefore(subject, authorizationId);
  if (event.failedCheck) return declineWithdrawal(subject, { reason: event.failedCheck }, before);
  // Its reversal came first: nothing is paid out.
  if (before && isFinished(before))
    return declineWithdrawal(subject, { reason: "AUTHORIZATION_FINISHED" }, before);
  // Its clearing came first: the cash is paid.
  if (before && before.clearedMinor > 0) return illegal;
  const amountMinor = before ? withinLimits(before, event.amount) : event.amount;
  const feeMinor = event.feeAmount ?? scheduledFeeMinor(requiredSettings(subject), FeeType.atm, amountMinor);
  const decline = advice
    ? undefined
    : (findDecline(account, amountMinor + feeMinor, at) ?? controlDecline(subject, amountMinor));
  if (decline) return declineWithdrawal(subject, decline, before);
  const require = isUsableWithFunds(amountMinor + feeMinor, at);
  if (endpoint) {
    const asked = { ...subject, event: { ...event, feeAmount: feeMinor } };
    const own = before ?? emptyHold(card, newId("hold"), timestamp(at));
    return planReservation(asked, endpoint, own, amountMinor, require);
  }
  const transId = newId("transaction");
  const plan = postWithdrawal(subject, before, { account, transId, amountMinor, feeMinor });
  return { ...plan, ...(!advice && { require }) };
}

/** By another event than its own decline. */
export function isFinished(hold: Hold): boolean {
  return hold.closedBy !== undefined && !isDeclined(hold);
}

interface Posted {
  readonly account: Card;
  readonly transId: string;
  readonly amountMinor: number;
  readonly feeMinor: number;
  /** Where the receiver was asked. */
  readonly decidedBy?: DecidedBy;
}

/**
 * Posts cash and fee, and releases what `before` has reserved for them. The fee's notification is
 * the parent of the withdrawal's.
 */
export function postWithdrawal(
  subject: Withdrawal,
  before: Hold | undefined,
  { account, transId, amountMinor, feeMinor, decidedBy }: Posted,
): CardPlan {
  const { event, card, at } = subject;
  const { authorizationId, referenceCode } = event;
  const charge = { identity: card, at, occurredAt: event.occurredAt };
  const fee =
    feeMinor === 0
      ? undefined
      : newFee(charge, { ...atmFee, amountMinor: feeMinor, relatedTransId: transId });
  const withdrawal = { transId, amountMinor, ...(fee && { feeId: fee.feeId }) };
  const after = before && withdrawn(subject, before, withdrawal);
  const { counted, writes } =
    before && after
      ? { writes: countedHoldWrites(subject, before, after, transId) }
      : countPosting(subject, transId, amountMinor);
  const freedMinor = before && after ? heldMinor(before) - heldMinor(after) : 0;
  const by = decidedBy && { decidedBy };
  const transaction = newTransaction(subject, {
    transId,
    transType: TransactionType.pindebit_atm_withdrawal,
    type: "DR",
    amountMinor,
    description: describeWithdrawal(event),
    merchant: toMerchant(event),
    referenceCode,
    authorizationId,
    feeId: fee?.feeId,
    counted,
    ...by,
  });
  return {
    transaction,
    fee,
    entryKind: "atm_withdrawal",
    postings: [
      ...debitSettled(card.cardId, amountMinor, freedMinor),
      ...(fee ? feeCharged(card.cardId, feeMinor) : []),
    ],
    relatedId: transId,
    balances: { ledgerMinor: account.ledgerMinor },
    writes,
    outboxKind: "transaction.posted",
    result: {
      approved: true,
      ...by,
      ...(authorizationId !== undefined && { authorizationId }),
      amount: amountMinor,
    },
  };
}

function withdrawn({ event }: Withdrawal, before: Hold, withdrawal: NonNullable<Hold["withdrawal"]>): Hold {
  const clearedMinor = before.clearedMinor + withdrawal.amountMinor;
  const merchant = toMerchant(event);
  const asked = withoutReservation(before, event.eventId);
  return { ...asked, decided: true, closedBy: "cleared", clearedMinor, merchant, withdrawal };
}

function declineWithdrawal(subject: Withdrawal, decline: Decline, before: Hold | undefined): CardPlan {
  const { event, at } = subject;
  const writes = before
    ? holdWrites(before, { ...closeHold(before, "declined"), decided: true, merchant: toMerchant(event) }, at)
    : [];
  return planDecline(subject, decline, describeWithdrawal(event), { writes });
}

/** Clears what is posted of a withdrawal, once. It moves nothing; another amount is refused. */
export function planWithdrawalClearing(
  { event, at }: CardSubject<CardEventOf<"clearing">>,
  withdrawal: NonNullable<Hold["withdrawal"]>,
  before: Hold,
): CardPlan | Rejected {
  if (withdrawal.isCleared || event.amount !== before.clearedMinor) return illegal;
  const after = { ...before, withdrawal: { ...withdrawal, isCleared: true } };
  const plan = withoutMovement(before.authorizationId);
  const result = { ...plan.result, amount: event.amount, transId: withdrawal.transId };
  return { ...plan, writes: holdWrites(before, after, at), result };
}

function withoutMovement(authorizationId: string): CardPlan {
  const result = { authorizationId, amount: 0 };
  return { entryKind: "refund", postings: [], relatedId: authorizationId, result };
}

/**
 * Gives a withdrawal back, or what was not paid out of it. Its fee is reversed by an event of its
 * own: the result of a whole reversal names it.
 */
export function planWithdrawalReversal(
  subject: CardSubject<CardEventOf<"authorization_reversal">>,
  withdrawal: NonNullable<Hold["withdrawal"]>,
  before: Hold,
): CardPlan | Rejected {
  const { event, card } = subject;
  const { authorizationId, total, amount = before.clearedMinor } = event;
  const leftMinor = total ? amount : before.clearedMinor - amount;
  const creditMinor = before.clearedMinor - Math.max(0, leftMinor);
  if (creditMinor > 0 && withdrawal.isCleared) return illegal;
  if (creditMinor <= 0) return event.mayBeDone ? withoutMovement(authorizationId) : illegal;
  const after = { ...before, clearedMinor: before.clearedMinor - creditMinor };
  const transaction = newTransaction(subject, {
    transType: TransactionType.pindebit_reversal,
    type: "CR",
    amountMinor: creditMinor,
    description: `Withdrawal reversal: ${before.merchant.merchantName ?? defaultDescription}`,
    authorizationId,
    relatedId: withdrawal.transId,
  });
  const { transId, feeId } = withdrawal;
  const isFirst = before.clearedMinor === withdrawal.amountMinor;
  const reversed = { programId: card.programId, cardId: card.cardId, transId };
  return {
    transaction,
    entryKind: "refund",
    postings: creditSettled(card.cardId, creditMinor),
    relatedId: transaction.transId,
    writes: [
      ...countedHoldWrites(subject, before, after, transaction.transId),
      ...(isFirst ? [reversedUpdate(reversed, transaction.transId)] : []),
    ],
    outboxKind: "transaction.posted",
    result: {
      authorizationId,
      amount: creditMinor,
      ...(after.clearedMinor === 0 && feeId !== undefined && { feeId }),
    },
  };
}
