import type { Card } from "../cards/card.ts";
import { later, nothing, unread } from "../changes/change.ts";
import type { DecidedBy } from "../contract/authorization-endpoint.ts";
import { FeeType, TransactionType } from "../contract/enums.ts";
import { debitSettled, feeCharged, withInterchange } from "../ledger/movements.ts";
import { cardChange } from "../network-events/card-change.ts";
import type { CardEventOf } from "../network-events/card-event.ts";
import { fundedBy } from "../network-events/funding.ts";
import { findSimilarTo } from "../network-events/message-names.ts";
import {
  type CardPlan,
  type CardSubject,
  holdBefore,
  illegal,
  newTransaction,
  notFound,
  type OfAccount,
  type OfControls,
  type OfEndpoint,
  type OfHold,
  type OfPostings,
  type OfPresented,
  type OfSettings,
  type Rejected,
  requiredSettings,
  toMerchant,
} from "../network-events/plan.ts";
import { morePostings, noPostings, readHoldAgain } from "../network-events/posting-reads.ts";
import { notifyPosting } from "../notifications/settlement-notification.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { scheduledFeeMinor } from "../tenancy/programs/fee-schedule.ts";
import { atmFee, newFee } from "../transactions/fee-rules.ts";
import { countHold, countPosting } from "./counted.ts";
import {
  controlDecline,
  type Decline,
  findDecline,
  findLastDecline,
  isUsableWithFunds,
  planDecline,
} from "./decline.ts";
import type { Hold, Withdrawal as PostedWithdrawal } from "./holds/hold.ts";
import { isDeclined, withoutReservation } from "./holds/hold-changes.ts";
import { closeHold, emptyHold, heldMinor, holdWrites, withinLimits } from "./holds/hold-rules.ts";
import { defaultDescription, planMoreOfWithdrawal, withTotal } from "./plan-posted-withdrawal.ts";
import { tiedToDecline } from "./stand-in.ts";

type Posting = CardSubject<CardEventOf<"atm_withdrawal">> & OfControls;
type Withdrawal = Posting & OfHold & OfAccount & OfPresented & OfEndpoint & OfPostings & OfSettings;

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
  const { authorizationId, advice, total } = event;
  if (hold && (hold.authorizedMinor > 0 || (hold.decided && !advice))) return illegal;
  const found = authorizationId === undefined ? undefined : holdBefore(subject, authorizationId);
  if (event.failedCheck) return declineWithdrawal(subject, { reason: event.failedCheck }, found);
  if (found && isReversed(found)) return planReversed(subject, found);
  if (found?.withdrawal) return planMoreOfWithdrawal(subject, found.withdrawal, found);
  // What a question has reserved stays in `found`, which is released.
  const known = found && advice && total ? withTotal(found, event) : found;
  // Its clearing came first: the cash is paid, only the fee is not.
  const paidMinor = found?.clearedMinor ?? 0;
  const cashMinor = paidMinor || (known ? withinLimits(known, event.amount) : event.amount);
  const amountMinor = cashMinor - paidMinor;
  const feeMinor = findFee(subject, cashMinor);
  const mustPost = advice || paidMinor > 0;
  const decline = mustPost
    ? undefined
    : (findLastDecline(subject) ??
      findDecline(subject, account, amountMinor + feeMinor, amountMinor) ??
      controlDecline(subject, amountMinor));
  if (decline) return declineWithdrawal(subject, decline, found);
  const require = isUsableWithFunds(subject, amountMinor + feeMinor);
  if (endpoint && !mustPost) {
    const asked = { ...subject, event: { ...event, feeAmount: feeMinor } };
    const own = found ?? { ...emptyHold(card, newId("hold"), timestamp(at)), ...fundedBy(subject) };
    return endpoint.reserve(asked, own, amountMinor, require);
  }
  const transId = newId("transaction");
  const totals = known?.totals;
  const plan = postWithdrawal(subject, found, { account, transId, amountMinor, feeMinor, totals });
  // A late authorization of more than its clearing is approved in part.
  if (mustPost)
    return {
      ...plan,
      result: { ...plan.result, amount: paidMinor ? Math.min(event.amount, paidMinor) : amountMinor },
    };
  return { ...plan, require };
}

/** Whether all of it was reversed, before it was posted or after. What is posted is finished. */
function isReversed(hold: Hold): boolean {
  return hold.clearedMinor === 0 && isFinished(hold);
}

/** Nothing is paid out again. An advice of a total is recorded, and answered as an approval. */
function planReversed(subject: Withdrawal, before: Hold): CardPlan {
  const { event } = subject;
  const { advice, total, amount, authorizationId } = event;
  const transId = newId("transaction");
  const feeMinor = findFee(subject, amount);
  // Its clearing can still come: then it is paid out, with its fee.
  const unpaid = { transId, amountMinor: 0, disputable: [], feeMinor, isFeeReversed: true };
  const withdrawal = before.withdrawal ?? unpaid;
  const plan = declineWithdrawal(subject, { reason: "AUTHORIZATION_FINISHED" }, before, {
    transId,
    withdrawal,
  });
  return advice && total ? { ...plan, result: { approved: true, authorizationId, amount } } : plan;
}

function findFee(subject: Withdrawal, cashMinor: number): number {
  const { feeAmount } = subject.event;
  return feeAmount ?? scheduledFeeMinor(requiredSettings(subject), FeeType.atm, cashMinor);
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
  /** An advice's total is in them. */
  readonly totals?: Hold["totals"];
  /** Where the receiver was asked. */
  readonly decidedBy?: DecidedBy;
}

/**
 * Posts cash and fee, and releases what `before` has reserved for them. The fee's notification is
 * the parent of the withdrawal's.
 */
export function postWithdrawal(
  subject: Posting,
  before: Hold | undefined,
  { account, transId, amountMinor, feeMinor, totals = before?.totals, decidedBy }: Posted,
): CardPlan {
  const { event, card, at } = subject;
  const { authorizationId, referenceCode } = event;
  const charge = { identity: card, at, occurredAt: event.occurredAt };
  const charged = { ...atmFee, amountMinor: feeMinor, relatedTransId: transId };
  const fee = feeMinor === 0 ? undefined : newFee(charge, charged);
  const withdrawal = {
    transId,
    amountMinor,
    disputable: [transId],
    ...(fee && { feeId: fee.feeId, feeMinor }),
    referenceCode,
    ...(before && before.clearedMinor > 0 && { isCleared: true }),
  };
  const { counted, ...written }: ReturnType<typeof countPosting> = before
    ? countHold(subject, before, { ...withdrawn(subject, before, withdrawal), totals }, transId)
    : countPosting(subject, transId, amountMinor);
  const freedMinor = before ? heldMinor(before) : 0;
  const transaction = newTransaction(subject, {
    transId,
    transType: TransactionType.pindebit_atm_withdrawal,
    type: "DR",
    amountMinor,
    description: describeWithdrawal(event),
    merchant: toMerchant(event),
    interchangeMinor: event.interchange,
    referenceCode,
    authorizationId,
    feeId: fee?.feeId,
    counted,
    decidedBy,
  });
  return {
    transaction,
    fee,
    entryKind: "atm_withdrawal",
    postings: [
      ...withInterchange(card.cardId, debitSettled(card.cardId, amountMinor, freedMinor), event.interchange),
      ...(fee ? feeCharged(card.cardId, feeMinor) : []),
    ],
    relatedId: transId,
    balances: { ledgerMinor: account.ledgerMinor },
    ...written,
    outboxKind: "transaction.posted",
    notify: notifyPosting,
    result: { approved: true, decidedBy, authorizationId, amount: amountMinor },
  };
}

function withdrawn({ event }: Posting, before: Hold, withdrawal: PostedWithdrawal): Hold {
  const decided = event.advice ? before.decided : true;
  const clearedMinor = before.clearedMinor + withdrawal.amountMinor;
  const merchant = toMerchant(event);
  const asked = withoutReservation(before, event.eventId);
  // From now on, each reversal leaves a total.
  return { ...asked, changes: undefined, decided, closedBy: "cleared", clearedMinor, merchant, withdrawal };
}

function declineWithdrawal(
  subject: Withdrawal,
  decline: Decline,
  before: Hold | undefined,
  { transId, withdrawal = before?.withdrawal }: { transId?: string; withdrawal?: PostedWithdrawal } = {},
): CardPlan {
  const { event, at } = subject;
  const decided = event.advice ? before?.decided : true;
  const known = { decided, merchant: toMerchant(event), withdrawal };
  const writes = before ? holdWrites(before, { ...closeHold(before, "declined"), ...known }, at) : [];
  return planDecline(subject, decline, describeWithdrawal(event), { writes, transId });
}

export const atmWithdrawal = cardChange<CardEventOf<"atm_withdrawal">>()({
  reads: (of, event) => {
    const needsFee = event.feeAmount === undefined;
    return {
      account: of.account(),
      hold: findSimilarTo(event)?.differsIn === "reference" ? of.hold() : of.holdLater(),
      controls: of.controls(),
      endpoint: event.advice ? nothing : of.endpoint(),
      settings: needsFee ? of.settings() : later(of.settings()),
      postings: noPostings,
    };
  },
  readMore: ({ card, hold }, _, { postings }) =>
    postings === unread && hold?.withdrawal ? morePostings(card, hold.withdrawal.disputable) : undefined,
  readAgain: (...seen) => readHoldAgain(...seen),
  plan: planAtmWithdrawal,
  tied: tiedToDecline,
});
