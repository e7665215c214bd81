import {
  type Card,
  type CardIdentity,
  cacheCard,
  cards,
  findCachedCard,
  hasOwnMoney,
  hasSameNumber,
} from "../../shared/cards/card.ts";
import { isBlocked, isNotBlocked } from "../../shared/cards/usable.ts";
import { defineChange, later, unread } from "../../shared/changes/change.ts";
import { answerRequest } from "../../shared/changes/execute.ts";
import { DestinationType, TransferStatus } from "../../shared/contract/enums.ts";
import { accountAt } from "../../shared/ledger/account.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { notFound } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { newLabels } from "../../shared/platform/labels.ts";
import { all, atLeast, below } from "../../shared/platform/table/condition.ts";
import { recordOnCard } from "../../shared/wallets/card-movement.ts";
import {
  decideTransfer,
  isTaken,
  ownTransfer,
  type Transfer,
  type TransferAnswer,
  takenExternalId,
  toTransferView,
} from "../../shared/wallets/transfer.ts";

type Operation = Operations["POST /cards/{cardId}/unload"];
type Unload = Extract<Transfer, { readonly sourceCardId: string }>;

interface Request extends Pick<Parameters<Operation>[0], "scope" | "path" | "body"> {
  readonly programId: string;
  readonly transferId: string;
  /** The Card, if this process has met it. */
  readonly known: CardIdentity | undefined;
}

/**
 * Minor units. Works in every operational status, so that money on a Closed Card can be taken off
 * it. An amount above the available balance is a recorded decline (200, no money moved).
 * @throws ApiError NOT_FOUND; CARD_BLOCKED; CARD_FUNDED_BY_WALLET; IDEMPOTENCY_MISMATCH
 */
export const unloadCard: Operation = ({ scope, path, body, idempotency }) => {
  const { programId } = scope;
  const known = findCachedCard(programId, path.cardId);
  const request = { programId, scope, path, body, transferId: newId("transfer"), known };
  return answerRequest(unload, request, idempotency);
};

type Refusal = "NOT_FOUND" | "CARD_BLOCKED" | "CARD_FUNDED_BY_WALLET" | "EXTERNAL_ID_EXISTS";

const unload = defineChange<Request, TransferAnswer<Unload>, Refusal>()({
  reads: ({ programId, path, body, known }) => {
    const card = cards.at(programId, path.cardId);
    return {
      source: known ? later(card) : card,
      destination: later(accountAt(programId, { kind: "wallet", accountId: body.walletId })),
      transfer: ownTransfer<Unload>(),
      externalId: takenExternalId(),
    };
  },
  decide: (request, { source, destination, transfer, externalId }, at) => {
    if (source === undefined || destination === undefined) return notFound({ walletId: destination });
    if (transfer && transfer !== unread)
      return { done: { ...toTransferView(transfer), metadata: request.body.metadata } };
    const taken = isTaken(externalId);
    if (taken) return taken;
    const { programId, body, known } = request;
    const card = source === unread ? undefined : source;
    if (card && isBlocked(card)) return { rejected: "CARD_BLOCKED" };
    if (card?.fundingWalletId !== undefined) return { rejected: "CARD_FUNDED_BY_WALLET" };
    const isCovered = !card || card.availableMinor >= body.amount;
    const identity = card ? cacheCard(programId, card) : known;
    const coverage = { availableMinor: (isCovered ? atLeast : below)(body.amount) };
    return decideTransfer({
      programId,
      at,
      transfer: toUnload(request, at, isCovered),
      source: {
        require: all<Card>(
          isNotBlocked,
          hasOwnMoney,
          coverage,
          ...(identity ? [hasSameNumber(identity)] : []),
        ),
      },
      card: identity,
      recordOnCard,
      metadata: body.metadata,
      seenMinor: card?.ledgerMinor,
    });
  },
});

function toUnload({ scope, path, body, transferId }: Request, at: Date, isCovered: boolean): Unload {
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
    ...newLabels(body),
    createdAt: timestamp(at),
  };
}
