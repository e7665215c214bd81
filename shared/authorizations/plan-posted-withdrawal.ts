import { TransactionType } from "../contract/enums.ts";
import { creditSettled, debitSettled, feeCharged, withInterchange } from "../ledger/movements.ts";
import type { CardEventOf } from "../network-events/card-event.ts";
import {
  type CardPlan,
  type CardSubject,
  illegal,
  newTransaction,
  type OfControls,
  type OfEndpoint,
  type OfPostings,
  type Rejected,
} from "../network-events/plan.ts";
import { silentEventWrites } from "../network-events/silent-event.ts";
import { notifyPosting } from "../notifications/settlement-notification.ts";
import { newId } from "../platform/id.ts";
import { atmFee, newFee } from "../transactions/fee-rules.ts";
import { isUnsettled, settledUpdate } from "../transactions/settled.ts";
import { countHold } from "./counted.ts";
import { giveBack, namePosting, olderIn } from "./holds/claims.ts";
import type { Hold, Withdrawal } from "./holds/hold.ts";
import { limitTotal, setTotal } from "./holds/hold-changes.ts";
import { holdWrites, noHold, withinLimits } from "./holds/hold-rules.ts";

type Posted = OfControls & OfPostings;
type Advice = CardSubject<CardEventOf<"atm_withdrawal">> & Posted & OfEndpoint;
type Reversal = CardSubject<CardEventOf<"authorization_reversal">> & Posted;
type Clearing = CardSubject<CardEventOf<"clearing">> & Posted;
type Moving = Advice | Reversal | Clearing;

export const defaultDescription = "Foreign Cash Withdrawal";

/** What is paid out by the totals that have come. Without any, all that is posted. */
function totalMinor({ totals, clearedMinor }: Hold): number {
  return withinLimits({ ...noHold, totals }, totals?.set?.amountMinor ?? clearedMinor);
}

/** The hold with the total of an advice, and with nothing authorized: a withdrawal has no hold. */
export function withTotal(before: Hold, { amount, occurredAt, ofRequest }: Advice["event"]): Hold {
  return { ...before, totals: setTotal(before, amount, occurredAt ?? (ofRequest && "")).totals };
}

/** Its own authorization came late, or an advice has the new total. Neither is ever declined. */
export function planMoreOfWithdrawal(
  subject: Advice,
  withdrawal: Withdrawal,
  before: Hold,
): CardPlan | Rejected {
  const { event, endpoint } = subject;
  const { advice, total, amount } = event;
  if (advice && !total) return illegal;
  const { authorizationId } = before;
  const decidedBy = endpoint && !advice ? ({ decidedBy: "platform" } as const) : {};
  const result = { approved: true, ...decidedBy, authorizationId, amount };
  if (!advice) {
    // Not more than was paid out: the rest was not checked.
    const answered = { ...result, amount: Math.min(amount, before.clearedMinor) };
    return noteWithdrawal(subject, before, { ...before, decided: true }, answered);
  }
  const known = withTotal(before, event);
  const clearedMinor = withdrawal.isCleared ? before.clearedMinor : totalMinor(known);
  const after = { ...known, clearedMinor };
  return clearedMinor === before.clearedMinor
    ? noteWithdrawal(subject, before, after, result)
    : postChange(subject, withdrawal, before, after, { ...ownCode(event, withdrawal), result });
}

/** The withdrawal has taken its own code already. */
function ownCode({ referenceCode }: Advice["event"] | Clearing["event"], withdrawal: Withdrawal) {
  return { referenceCode: referenceCode === withdrawal.referenceCode ? undefined : referenceCode };
}

/** Changes what is known of a withdrawal, and moves nothing. */
function noteWithdrawal(
  { event, at }: Advice | Reversal,
  before: Hold,
  after: Hold,
  result: CardPlan["result"],
): CardPlan {
  const { authorizationId } = before;
  const writes = [...holdWrites(before, after, at), ...silentEventWrites(event, at)];
  return { entryKind: "atm_withdrawal", postings: [], relatedId: authorizationId, writes, result };
}

/**
 * Settles what was really paid out, once, whatever advices and reversals said: after a whole
 * reversal, also the fee that was reversed with it.
 */
export function planWithdrawalClearing(
  subject: Clearing,
  withdrawal: Withdrawal,
  before: Hold,
): CardPlan | Rejected {
  const { event } = subject;
  const { authorizationId } = before;
  const amount = event.amount ?? before.clearedMinor;
  if (withdrawal.isCleared) return illegal;
  if (amount === 0) return { rejected: "NOTHING_HELD" };
  const after = { ...before, clearedMinor: amount };
  return postChange(subject, { ...withdrawal, isCleared: true }, before, after, {
    feeMinor: withdrawal.isFeeReversed ? withdrawal.feeMinor : 0,
    ...ownCode(event, withdrawal),
    result: { authorizationId, amount },
  });
}

/**
 * Gives a withdrawal back, or what was not paid out of it. Its fee is reversed by an event of its
 * own: the result of a whole reversal names it, also again.
 */
export function planWithdrawalReversal(
  subject: Reversal,
  withdrawal: Withdrawal,
  before: Hold,
): CardPlan | Rejected {
  const { total, amount, occurredAt, mayBeDone, withFee } = subject.event;
  const { authorizationId } = before;
  const leftMinor = amount === undefined ? 0 : total ? amount : before.clearedMinor - amount;
  const isWhole = leftMinor <= 0;
  const limited = isWhole ? before : limitTotal(before, leftMinor, total ? occurredAt : undefined);
  const clearedMinor = isWhole ? 0 : Math.min(before.clearedMinor, totalMinor(limited));
  const isFeeReversed = (isWhole && withFee) || withdrawal.isFeeReversed;
  const after = { ...limited, clearedMinor, withdrawal: { ...withdrawal, isFeeReversed } };
  const creditMinor = before.clearedMinor - clearedMinor;
  const { feeId } = withdrawal;
  const result = {
    authorizationId,
    amount: creditMinor,
    ...(clearedMinor === 0 && { feeId }),
  };
  const isLimit = total && clearedMinor > 0 && !withdrawal.isCleared;
  if (creditMinor === 0)
    return mayBeDone || isLimit ? noteWithdrawal(subject, before, after, result) : illegal;
  if (withdrawal.isCleared) return illegal;
  return postChange(subject, after.withdrawal, before, after, { result });
}

interface Change {
  readonly feeMinor?: number | undefined;
  readonly referenceCode?: string | undefined;
  readonly result: CardPlan["result"];
}

/**
 * Posts the difference, less or more: of an advice or clearing, whatever the balance. Gives nothing
 * back that is disputed.
 */
function postChange(
  subject: Moving,
  withdrawal: Withdrawal,
  before: Hold,
  changed: Hold,
  { feeMinor = 0, referenceCode, result }: Change,
): CardPlan | Rejected {
  const { event, card, at } = subject;
  const changeMinor = changed.clearedMinor - before.clearedMinor;
  const transId = newId("transaction");
  const posted =
    changeMinor < 0
      ? giveCash(subject, withdrawal, before, -changeMinor)
      : payCash(subject, withdrawal, before, transId, changeMinor);
  if (!posted) return illegal;
  const charge = { identity: card, at, occurredAt: event.occurredAt };
  const fee =
    feeMinor > 0 ? newFee(charge, { ...atmFee, amountMinor: feeMinor, relatedTransId: transId }) : undefined;
  const transaction = newTransaction(subject, {
    transId,
    ...posted.record,
    amountMinor: Math.abs(changeMinor),
    interchangeMinor: event.interchange,
    authorizationId: before.authorizationId,
    relatedId: withdrawal.transId,
    referenceCode,
    feeId: fee?.feeId,
  });
  const { disputable, olderMinor, entryKind } = posted;
  const after = { ...changed, ...olderIn(before, olderMinor), withdrawal: { ...withdrawal, disputable } };
  const { writes, controls } = countHold(subject, before, after, transId);
  return {
    transaction,
    fee,
    entryKind,
    postings: [
      ...withInterchange(card.cardId, posted.moved, event.interchange),
      ...(fee ? feeCharged(card.cardId, feeMinor) : []),
    ],
    relatedId: transId,
    writes: [...writes, ...posted.writes],
    controls,
    ...(changeMinor === 0
      ? { outboxKind: "transaction.noted" }
      : { outboxKind: "transaction.posted", notify: notifyPosting }),
    result,
  };
}

/** What is not paid out after all. Undefined if it is disputed. */
function giveCash(subject: Moving, { disputable }: Withdrawal, before: Hold, amountMinor: number) {
  const { card, postings = [] } = subject;
  const given = giveBack(postings, before.olderMinor, amountMinor);
  if (!given) return undefined;
  const description = `Withdrawal reversal: ${before.merchant.merchantName ?? defaultDescription}`;
  const record = { transType: TransactionType.pindebit_reversal, type: "CR", description } as const;
  const moved = creditSettled(card.cardId, amountMinor);
  return { ...given, record, entryKind: "refund" as const, moved, disputable, olderMinor: -given.olderMinor };
}

/** What is paid out more, or is paid out as it was said. */
function payCash(subject: Moving, known: Withdrawal, before: Hold, transId: string, amountMinor: number) {
  const { event, card, postings = [] } = subject;
  const { named: disputable, olderMinor, writes } = namePosting(known.disputable, transId, postings);
  const { description = defaultDescription } = "description" in event ? event : {};
  // What the merchant billed is known of the whole withdrawal only.
  const merchant = { ...before.merchant, srcAmount: undefined };
  const transType = TransactionType.pindebit_authorization_clearing;
  return {
    record: { transType, type: "DR", description, merchant } as const,
    entryKind: "atm_withdrawal" as const,
    moved: debitSettled(card.cardId, amountMinor),
    disputable,
    olderMinor,
    writes: [...writes, ...settledBefore(subject)],
  };
}

/** A file's clearing settles what was posted before. */
function settledBefore({ event, postings = [], settlesLater }: Moving) {
  return event.kind === "clearing" && !settlesLater ? postings.filter(isUnsettled).map(settledUpdate) : [];
}
