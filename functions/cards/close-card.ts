import {
  type Card,
  cards,
  getCard,
  hasStatusIn,
  isBlocked,
  isNotBlocked,
  toCardIdentity,
  toCardView,
} from "../../shared/domain/cards/card.ts";
import {
  cardStatusEvent,
  cardTransitions,
  countClosedCard,
  listedStatusChange,
  toCardStatusError,
} from "../../shared/domain/cards/card-status.ts";
import type { AccountChange } from "../../shared/domain/ledger/account.ts";
import { type Commit, commitIdempotent } from "../../shared/domain/ledger/commit.ts";
import { journalEntry } from "../../shared/domain/ledger/journal-entry.ts";
import { debtSettled, transferred } from "../../shared/domain/ledger/postings.ts";
import { renderCardNotifications } from "../../shared/domain/notifications/card-notifications.ts";
import {
  debtRecord,
  type Transaction,
  transactionPut,
  transferRecord,
} from "../../shared/domain/transactions/transaction.ts";
import { now } from "../../shared/platform/clock.ts";
import { deadlineReplace } from "../../shared/platform/deadlines.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { outboxPut } from "../../shared/platform/outbox/outbox-put.ts";
import { all } from "../../shared/platform/table/condition.ts";
import { Conflict, retryDecision } from "../../shared/platform/table/retry.ts";
import type { FailedConditions } from "../../shared/platform/table/transact.ts";
import { findStep } from "../../shared/platform/table/transition.ts";
import type { CardOperations } from "./operations.ts";

type Operation = CardOperations["POST /cards/{cardId}/close"];

const close = findStep(cardTransitions, "close");

/**
 * Closes a Card permanently. Its money moves to `sweepToWalletId` or its debt is paid from the
 * Program's reserve in the same transaction, so that it never keeps money.
 * @throws ApiError NOT_FOUND for an unknown Card or Wallet; CARD_BLOCKED; ILLEGAL_TRANSITION;
 * CARD_NOT_EMPTY for open holds, pending deposits, or money and no Wallet; IDEMPOTENCY_MISMATCH
 */
export const closeCard: Operation = ({ scope, path, body: { sweepToWalletId }, idempotency }) =>
  retryDecision(async () => {
    const card = await getCard(scope.programId, path.cardId);
    const answer: Awaited<ReturnType<Operation>> = toCardView({ ...card, issuerCardStatus: close.to });
    const commit = planClosing(scope.programId, card, sweepToWalletId, now());
    const result = await commitIdempotent(commit, idempotency, answer);
    if (result.outcome !== "failed") return result.answer;
    const error = toClosingError(result.failedConditions, card, sweepToWalletId !== undefined);
    if (error) throw error;
    return new Conflict("card");
  });

/** Undefined if only the status or balance changed meanwhile: then the Card can still be closed. */
function toClosingError(failed: FailedConditions, seen: Card, isSwept: boolean): ApiError | undefined {
  if (failed.has("wallet")) return new ApiError("NOT_FOUND");
  if (!failed.has("card")) throw new Error("The Cardholder does not count the Card as open.");
  const card = cards.parse(failed.get("card"));
  if (!card || isBlocked(card) || !close.from.includes(card.issuerCardStatus)) return toCardStatusError(card);
  if (card.issuerCardStatus !== seen.issuerCardStatus) return undefined;
  const { heldMinor, pendingDepositMinor, availableMinor } = card;
  const canBeEmptied = availableMinor <= 0 || isSwept;
  return heldMinor === 0 && pendingDepositMinor === 0 && canBeEmptied
    ? undefined
    : new ApiError("CARD_NOT_EMPTY");
}

/**
 * Requires the status and balances as read, so that the postings empty the Card exactly. Failed
 * conditions: `card` and `wallet`.
 */
function planClosing(programId: string, card: Card, sweepToWalletId: string | undefined, at: Date): Commit {
  const { entityId: cardId, availableMinor } = card;
  // Without a Wallet to sweep to, money stays: then the condition on the balances fails.
  const emptiedMinor = availableMinor < 0 || sweepToWalletId !== undefined ? availableMinor : 0;
  const closed: AccountChange = {
    name: "card",
    account: { kind: "card", accountId: cardId },
    // The tombstone in the list has to match the stored values.
    require: all(hasStatusIn(close.from), hasStatusIn([card.issuerCardStatus]), isNotBlocked),
    balances: { availableMinor: emptiedMinor, heldMinor: 0, pendingDepositMinor: 0 },
    set: { issuerCardStatus: close.to },
  };
  const wallet: AccountChange[] =
    sweepToWalletId === undefined
      ? []
      : [{ name: "wallet", account: { kind: "wallet", accountId: sweepToWalletId } }];
  const { entry, writes } = planEmptying(programId, card, emptiedMinor, sweepToWalletId, at);
  return {
    programId,
    at,
    ...(entry && { entry }),
    accounts: [closed, ...wallet],
    writes: [
      countClosedCard(programId, card.cardholderId),
      listedStatusChange(programId, card, close.to),
      deadlineReplace({
        ...{ ownerId: programId, deadlineId: `pin:${cardId}`, kind: "forget_pin", cardId, dueAt: at },
      }),
      cardStatusEvent(programId, cardId, { cardStatus: card.cardStatus, issuerCardStatus: close.to }),
      ...writes,
    ],
  };
}

function planEmptying(
  programId: string,
  card: Card,
  emptiedMinor: number,
  walletId: string | undefined,
  at: Date,
): Pick<Commit, "entry" | "writes"> {
  const { entityId: cardId, currency } = card;
  const amountMinor = Math.abs(emptiedMinor);
  const identity = toCardIdentity(programId, card);
  const recorded = (kind: "card.debt_settled" | "card.swept", transaction: Transaction, detail: object) => {
    const { outboxDetail, writesWithBalance } = renderCardNotifications(kind, identity, { transaction });
    return [
      transactionPut(transaction),
      // The commit requires that nothing is left on the Card.
      ...(writesWithBalance?.(0) ?? []),
      outboxPut(programId, kind, { cardId, amountMinor, currency, ...detail, ...outboxDetail }, at),
    ];
  };
  if (emptiedMinor < 0) {
    return {
      entry: journalEntry("debt_settled", cardId, debtSettled(cardId, amountMinor), at),
      writes: recorded("card.debt_settled", debtRecord(identity, amountMinor, at), {}),
    };
  }
  if (emptiedMinor === 0 || walletId === undefined) return { writes: [] };
  const swept = transferRecord(identity, { amountMinor, loads: false, relatedId: cardId, at });
  return {
    entry: journalEntry("card_sweep", cardId, transferred(cardId, walletId, amountMinor), at),
    writes: recorded("card.swept", swept, { walletId }),
  };
}
