import type { AuthorizationQuestion } from "../contract/authorization-endpoint.ts";
import type { AuthorizationEndpoint } from "../controls/authorization-endpoint.ts";
import type { AccountCondition } from "../ledger/account.ts";
import { holdPlaced } from "../ledger/postings.ts";
import type { AskedCardEvent, CardEventOf } from "../network-events/card-event.ts";
import { findAvailable, findSpendable } from "../network-events/funding.ts";
import {
  type Askers,
  type CardPlan,
  type CardSubject,
  type OfAccount,
  type OfControls,
  toMerchant,
} from "../network-events/plan.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { isNew } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { mayHaveEndpoint, readEndpoint } from "../questions/endpoint.ts";
import { lapseAfterMs } from "../questions/question.ts";
import { toShownMerchant } from "../transactions/transaction.ts";
import { references, sourceAmount } from "../transactions/transaction-rules.ts";
import { toVerificationView } from "../verification/presentation.ts";
import { countHold } from "./counted.ts";
import type { OpenQuestion } from "./decisions/decision.ts";
import { ownHoldChecks } from "./decline.ts";
import type { Hold } from "./holds/hold.ts";
import { reserve } from "./holds/hold-changes.ts";
import { heldMinor } from "./holds/hold-rules.ts";

type ReservationSubject = CardSubject<AskedCardEvent> & OfAccount & OfControls;

/** A hold would grow with each. */
const shownIncrements = 50;

/**
 * Reserves what is about to be approved, and the fee of a withdrawal, before the receiver is asked:
 * then an approval cannot fail for money. Transaction and notification follow with the decision.
 */
function planReservation(
  endpoint: AuthorizationEndpoint,
  subject: ReservationSubject,
  before: Hold,
  amountMinor: number,
  require: AccountCondition | undefined,
): CardPlan {
  const { event, card, receivedAt, controls } = subject;
  const { eventId, programId } = event;
  const { authorizationId } = before;
  const isIncrement = event.kind === "authorization_incremental";
  const deadlineAt = new Date(receivedAt.getTime() + endpoint.deadlineMs);
  const lapsesAt = timestamp(new Date(deadlineAt.getTime() + lapseAfterMs));
  const occurredAt = event.occurredAt ?? timestamp(receivedAt);
  const reservation = {
    eventId,
    amountMinor,
    lapsesAt,
    ...(isIncrement && { at: occurredAt }),
    ...("feeAmount" in event && { feeMinor: event.feeAmount }),
  };
  const reservedMinor = heldMinor(reserve(before, reservation)) - heldMinor(before);
  const isUse = !isIncrement && before.authorizedMinor === 0 && reservedMinor > 0;
  const used = (isUse && controls?.marked) || [];
  const after = {
    ...reserve(before, { ...reservation, ...(used.length > 0 && { usedControls: [...used] }) }),
    ...(isIncrement && {
      increments: (before.increments ?? 0) + 1,
      askedIncrements: [...(before.askedIncrements ?? []), eventId].slice(-shownIncrements),
    }),
    ...(!isIncrement && {
      decided: true,
      decisionEventId: eventId,
      merchant: toMerchant(event),
    }),
  };
  const transId = newId("transaction");
  const open = { event, authorizationId, transId, amountMinor, receivedAt: timestamp(receivedAt), lapsesAt };
  const { availableMinor, seen } = seenBalance(subject);
  const asks = toQuestion(subject, open, availableMinor, deadlineAt);
  return {
    entryKind: "hold_reserved",
    postings: reservedMinor > 0 ? holdPlaced(card.cardId, reservedMinor) : [],
    relatedId: authorizationId,
    require,
    ...seen,
    writes: [
      ...countHold(subject, before, after, transId).writes,
      ...referenceChecks(event),
      ...ownHoldChecks(event),
    ],
    question: { open, ask: (ask) => ask(endpoint, asks, { programId, deadlineAt, amountMinor }) },
    result: {},
  };
}

/** The question says what was there before: so it must still be. Others spend from a Wallet too. */
function seenBalance(subject: ReservationSubject) {
  const availableMinor = findAvailable(subject) ?? 0;
  if (subject.funding?.walletId !== undefined) return { availableMinor: Math.max(0, findSpendable(subject)) };
  return { availableMinor, seen: { balances: { availableMinor } } };
}

/** The receiver is not asked about a withdrawal whose reference code exists. */
function referenceChecks(event: ReservationSubject["event"]): WriteAction[] {
  if (!("referenceCode" in event) || event.referenceCode === undefined) return [];
  return [references.at(event.programId, event.referenceCode).check(isNew)];
}

/** What an increment and cash have a part of. */
type Sent = Partial<CardEventOf<"authorization">>;

function toQuestion(
  { event, card }: ReservationSubject,
  { authorizationId, amountMinor }: OpenQuestion,
  availableMinor: number,
  deadlineAt: Date,
): AuthorizationQuestion {
  const billed = sourceAmount(event, event.amount, card.currency);
  const { entryMode, plasticId, partialApprovalSupported = false } = event as Sent;
  return {
    type: "authorization.requested",
    kind: event.kind === "authorization_incremental" ? "increment" : event.kind,
    eventId: event.eventId,
    authorizationId,
    cardId: card.cardId,
    cardholderId: card.cardholderId,
    amount: amountMinor,
    ...("feeAmount" in event && { feeAmount: event.feeAmount }),
    currency: card.currency,
    merchantAmount: billed.srcAmountMinor,
    merchantCurrency: billed.srcCurrency,
    availableBalance: availableMinor,
    merchant: toShownMerchant(event),
    entryMode,
    plasticId,
    verification: toVerificationView(event),
    partialApprovalSupported,
    deadline: timestamp(deadlineAt),
  };
}

/** The Programs' servers. */
export const askers: Askers = {
  mayBeAsked: (programId) => mayHaveEndpoint(programId, "authorization"),
  find: async (programId) => {
    const endpoint = await readEndpoint(programId, "authorization");
    return endpoint && { reserve: (...reserved) => planReservation(endpoint, ...reserved) };
  },
};
