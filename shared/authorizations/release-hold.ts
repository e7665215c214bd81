import type { TransactionType } from "../contract/enums.ts";
import { holdReleased } from "../ledger/postings.ts";
import type { CardEventOf } from "../network-events/card-event.ts";
import {
  type CardPlan,
  type CardSubject,
  holdBefore,
  newTransaction,
  type OfControls,
  type OfHold,
} from "../network-events/plan.ts";
import { countHold } from "./counted.ts";
import type { Hold } from "./holds/hold.ts";
import { heldMinor, outstandingMinor } from "./holds/hold-rules.ts";

type Release = CardSubject<
  CardEventOf<"authorization_reversal" | "authorization_expiry" | "authorization_advice">
> &
  OfHold &
  OfControls;

/** Releases what `after` holds less. */
export function releaseHold(subject: Release, after: Hold, transType: TransactionType): CardPlan {
  const { event, card } = subject;
  const { authorizationId } = event;
  const before = holdBefore(subject, event.authorizationId);
  const releasedMinor = outstandingMinor(before) - outstandingMinor(after);
  // Also what was reserved and will not be held.
  const freedMinor = heldMinor(before) - heldMinor(after);
  const transaction = newTransaction(subject, {
    transType,
    type: "CR",
    amountMinor: releasedMinor,
    description: before.merchant.merchantName ?? "Authorization",
    authorizationId,
    releasedMinor,
  });
  return {
    transaction,
    entryKind: "hold_released",
    postings: freedMinor > 0 ? holdReleased(card.cardId, freedMinor) : [],
    relatedId: transaction.transId,
    ...countHold(subject, before, after, transaction.transId),
    outboxKind: "hold.released",
    detail: { releasedMinor },
    result: { authorizationId, amount: releasedMinor },
  };
}
