import { DestinationType, TransferStatus } from "../../shared/contract/enums.ts";
import {
  type Card,
  cacheCard,
  cards,
  findCachedCard,
  getCard,
  isBlocked,
  isNotBlocked,
} from "../../shared/domain/cards/card.ts";
import { commitTransfer, type Transfer } from "../../shared/domain/wallets/transfer.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { newId } from "../../shared/platform/id.ts";
import { all, atLeast, below } from "../../shared/platform/table/condition.ts";
import { Conflict, retryDecision } from "../../shared/platform/table/retry.ts";
import type { FailedConditions } from "../../shared/platform/table/transact.ts";
import type { CardOperations } from "./operations.ts";

type Operation = CardOperations["POST /cards/{cardId}/unload"];
type Request = Parameters<Operation>[0];
type Unload = Extract<Transfer, { readonly sourceCardId: string }>;

/**
 * Minor units. Works in every operational status, so that money on a Closed Card can be taken off
 * it. An amount above the available balance is a recorded decline (200, no money moved).
 * @throws ApiError NOT_FOUND; CARD_BLOCKED; IDEMPOTENCY_MISMATCH
 */
export const unloadCard: Operation = async (request) => {
  const { scope, path, body, idempotency } = request;
  const { programId } = scope;
  const known = findCachedCard(programId, path.cardId);
  const read = known ? undefined : await getCard(programId, path.cardId);
  const card = read ? cacheCard(programId, read) : known;
  const [transferId, at] = [newId("transfer"), now()];
  let isCovered = true;
  let seenMinor = read?.ledgerMinor;
  return retryDecision(async () => {
    const transfer = toUnload(request, transferId, at, isCovered);
    const coverage = { availableMinor: (isCovered ? atLeast : below)(body.amount) };
    const source = { require: all<Card>(isNotBlocked, coverage) };
    const result = await commitTransfer({ programId, at, transfer, source, card, idempotency, seenMinor });
    if (result.outcome !== "failed") return result.answer;
    seenMinor = cards.parse(result.failedConditions.get("source"))?.ledgerMinor;
    isCovered = canPay(result.failedConditions, body.amount, isCovered);
    return new Conflict("source", "destination");
  });
};

/** Whether the Card, as the failed condition found it, can pay. */
function canPay(failedConditions: FailedConditions, amountMinor: number, before: boolean): boolean {
  if (failedConditions.has("destination")) throw new ApiError("NOT_FOUND");
  const card = cards.parse(failedConditions.get("source"));
  if (!card) return before;
  if (isBlocked(card)) throw new ApiError("CARD_BLOCKED");
  return card.availableMinor >= amountMinor;
}

function toUnload({ scope, path, body }: Request, transferId: string, at: Date, isCovered: boolean): Unload {
  return {
    transferId,
    transStatus: isCovered ? TransferStatus.approved : TransferStatus.declined,
    sourceCardId: path.cardId,
    destinationType: DestinationType.wallet,
    destinationId: body.walletId,
    requestedAmountMinor: body.amount,
    transferredAmountMinor: isCovered ? body.amount : 0,
    currency: scope.currency,
    ...(!isCovered && { declineReason: "INSUFFICIENT_FUNDS" as const }),
    memo: body.memo,
    externalId: body.externalId,
    createdAt: timestamp(at),
  };
}
