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
import type { CountedWrites, CountOptions, SpendControls } from "../network-events/spend-controls.ts";
import type { Hold } from "./holds/hold.ts";
import { heldMinor, holdWrites, outstandingMinor } from "./holds/hold-rules.ts";

/** The writes of a hold, and of what controls count of it. */
export function countHold(
  { controls, ...subject }: CardSubject & OfControls,
  before: Hold,
  after: Hold,
  transId: string,
  options?: CountOptions,
): CountedWrites {
  return (
    controls?.countHold(subject, before, after, transId, options) ?? {
      writes: holdWrites(before, after, subject.at),
    }
  );
}

/** Counts what has no hold, as a force post. */
export function countPosting(
  { controls, ...subject }: CardSubject & OfControls,
  transId: string,
  amountMinor: number,
): ReturnType<SpendControls["countPosting"]> {
  return controls?.countPosting(subject, transId, amountMinor) ?? { writes: [] };
}

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
