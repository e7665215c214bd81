import type { AuthorizationQuestion } from "../../contract/authorization-endpoint.ts";
import { timestamp } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import { usedControls } from "../controls/count.ts";
import type { AuthorizationEndpoint } from "../controls/rulebooks.ts";
import { lapseAfterMs } from "../decisions/decision.ts";
import { type Hold, heldMinor, reserve } from "../holds/hold.ts";
import type { AccountCondition } from "../ledger/account.ts";
import { holdPlaced } from "../ledger/postings.ts";
import { sourceAmount } from "../transactions/transaction.ts";
import { countedHoldWrites } from "./counted.ts";
import { type CardEventOf, type CardPlan, type CardSubject, toMerchant } from "./plan.ts";

type ReservationSubject = CardSubject<CardEventOf<"authorization" | "authorization_incremental">>;

/**
 * Reserves what is about to be approved, before the receiver is asked: then an approval cannot fail
 * for money. Its transaction and notification follow with the decision.
 */
export function planReservation(
  subject: ReservationSubject,
  endpoint: AuthorizationEndpoint,
  before: Hold,
  amountMinor: number,
  require: AccountCondition | undefined,
): CardPlan {
  const { event, card, receivedAt, account, controls } = subject;
  const { eventId, authorizationId } = event;
  const deadlineAt = new Date(receivedAt.getTime() + endpoint.deadlineMs);
  const lapsesAt = timestamp(new Date(deadlineAt.getTime() + lapseAfterMs));
  const reservation = { eventId, amountMinor, lapsesAt };
  const reservedMinor = heldMinor(reserve(before, reservation)) - heldMinor(before);
  const isUse = event.kind === "authorization" && before.authorizedMinor === 0 && reservedMinor > 0;
  const used = isUse && controls ? usedControls(controls) : [];
  const after = {
    ...reserve(before, { ...reservation, ...(used.length > 0 && { usedControls: used }) }),
    ...(event.kind === "authorization" && {
      decided: true,
      decisionEventId: eventId,
      merchant: toMerchant(event),
    }),
  };
  const transId = newId("transaction");
  const open = { event, authorizationId, transId, amountMinor, receivedAt: timestamp(receivedAt), lapsesAt };
  // It says what was there before: so it must still be there.
  const { availableMinor = 0 } = account ?? {};
  return {
    entryKind: "hold_reserved",
    postings: reservedMinor > 0 ? holdPlaced(card.cardId, reservedMinor) : [],
    relatedId: authorizationId,
    require,
    balances: { availableMinor },
    writes: countedHoldWrites(subject, before, after, transId),
    question: {
      open,
      endpoint,
      deadlineAt,
      asks: toQuestion(subject, amountMinor, availableMinor, deadlineAt),
    },
    result: {},
  };
}

function toQuestion(
  { event, card }: ReservationSubject,
  amountMinor: number,
  availableMinor: number,
  deadlineAt: Date,
): AuthorizationQuestion {
  const { merchantName, merchantId, mcc, merchantCity, merchantCountry } = event;
  const billed = sourceAmount(event, event.amount, card.currency);
  return {
    type: "authorization.requested",
    kind: event.kind === "authorization" ? "authorization" : "increment",
    eventId: event.eventId,
    authorizationId: event.authorizationId,
    cardId: card.cardId,
    cardholderId: card.cardholderId,
    amount: amountMinor,
    currency: card.currency,
    merchantAmount: billed.srcAmountMinor,
    merchantCurrency: billed.srcCurrency,
    availableBalance: availableMinor,
    merchant: {
      name: merchantName,
      id: merchantId,
      mcc,
      city: merchantCity,
      country: merchantCountry,
    },
    ...(event.kind === "authorization" && { entryMode: event.entryMode }),
    partialApprovalSupported: event.kind === "authorization" && event.partialApprovalSupported === true,
    deadline: timestamp(deadlineAt),
  };
}
