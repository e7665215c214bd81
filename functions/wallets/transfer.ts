import {
  type Card,
  type CardIdentity,
  type CardOrWallet,
  cacheCard,
  cards,
  findCachedCard,
  hasOwnMoney,
  hasSameNumber,
  hasStatusIn,
  isFundedByWallet,
} from "../../shared/cards/card.ts";
import { type Change, later, type Unread, unread } from "../../shared/changes/change.ts";
import { answerRequest } from "../../shared/changes/execute.ts";
import { CardStatus, DestinationType, TransferStatus } from "../../shared/contract/enums.ts";
import type { TransferCreate, TransferDeclineReason } from "../../shared/contract/wallets.ts";
import { type AccountCondition, accountAt, type StoredAccount } from "../../shared/ledger/account.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { notFound } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { newLabels, type Pointer } from "../../shared/platform/labels.ts";
import { all, below } from "../../shared/platform/table/condition.ts";
import {
  type DecidedTransfer,
  decideTransfer,
  isTaken,
  loadRefusals,
  ownTransfer,
  type RecordOnCard,
  type Transfer,
  type TransferAnswer,
  takenExternalId,
  toTransferView,
  wholeWallet,
} from "../../shared/wallets/transfer.ts";

type Operation = Operations["POST /wallets/transfer"];
type FromWallet = Extract<Transfer, { readonly sourceWalletId: string }>;

interface Request extends Pick<Parameters<Operation>[0], "scope" | "body"> {
  readonly programId: string;
  readonly transferId: string;
  readonly recordOnCard: RecordOnCard;
  /** The Card that is loaded, if this process has met it. */
  readonly known: CardIdentity | undefined;
}

interface Found {
  readonly source: StoredAccount | undefined | Unread;
  readonly destination: CardOrWallet | undefined | Unread;
  readonly transfer: FromWallet | undefined | Unread;
  readonly externalId: Pointer | undefined | Unread;
}

/** What a transfer does, and the conditions that its commit requires. */
interface Decision extends Pick<DecidedTransfer<FromWallet>, "source" | "destination"> {
  readonly transStatus: TransferStatus;
  readonly amountMinor: number;
  readonly declineReason?: TransferDeclineReason;
}

/**
 * Tries to move the whole amount first. Failed conditions decide between 404, a partial transfer
 * and a recorded decline (200, no money moved), which commits only while its reason holds.
 * @throws ApiError NOT_FOUND; EXTERNAL_ID_EXISTS; IDEMPOTENCY_MISMATCH
 */
export const transferWith =
  (recordOnCard: RecordOnCard): Operation =>
  ({ scope, body, idempotency }) => {
    const { programId } = scope;
    const isLoad = body.destinationType === DestinationType.card;
    const known = isLoad ? findCachedCard(programId, body.destinationId) : undefined;
    const request = { programId, scope, body, transferId: newId("transfer"), recordOnCard, known };
    return answerRequest(moveMoney, request, idempotency);
  };

export const moveMoney: Change<
  Request,
  Found,
  TransferAnswer<FromWallet>,
  "NOT_FOUND" | "EXTERNAL_ID_EXISTS"
> = {
  reads: ({ programId, body, known }) => {
    const source = wholeWallet(programId, body.sourceWalletId);
    const own = { transfer: ownTransfer<FromWallet>(), externalId: takenExternalId() };
    if (body.destinationType === DestinationType.wallet) {
      const destination = accountAt(programId, { kind: "wallet", accountId: body.destinationId });
      return { source: later(source), destination: later(destination), ...own };
    }
    const destination = cards.at(programId, body.destinationId);
    return known
      ? { source: later(source), destination: later(destination), ...own }
      : { source, destination, ...own };
  },
  decide: (request, { source, destination, transfer, externalId }, at) => {
    if (source === undefined || destination === undefined)
      return notFound({ sourceWalletId: source, destinationId: destination });
    if (transfer && transfer !== unread)
      return { done: { ...toTransferView(transfer), metadata: request.body.metadata } };
    const taken = isTaken(externalId);
    if (taken) return taken;
    const { programId, body, recordOnCard, known } = request;
    const isLoad = body.destinationType === DestinationType.card;
    const card = isLoad && destination !== unread ? (destination as Card) : undefined;
    const identity = card ? cacheCard(programId, card) : known;
    const decision = decide(body, identity, source === unread ? undefined : source, card);
    return decideTransfer({
      programId,
      at,
      transfer: toTransfer(request, at, decision),
      source: decision.source,
      destination: decision.destination,
      card: identity,
      recordOnCard,
      metadata: body.metadata,
      seenMinor: card?.ledgerMinor,
    });
  },
};

/** Unread accounts count as sufficient: the commit's conditions verify the decision. */
function decide(
  request: TransferCreate,
  identity: CardIdentity | undefined,
  source: StoredAccount | undefined,
  card: Card | undefined,
): Decision {
  const declineReason = card && loadRefusals[card.issuerCardStatus];
  if (declineReason) return decline(declineReason, undefined, hasStatusIn([card.issuerCardStatus]));
  if (card?.fundingWalletId !== undefined)
    return decline("CARD_FUNDED_BY_WALLET", undefined, isFundedByWallet);
  if (!source || source.availableMinor >= request.amount) return approve(request, identity);
  const { availableMinor } = source;
  if (request.allowPartial && availableMinor > 0) {
    return {
      transStatus: TransferStatus.partial,
      amountMinor: availableMinor,
      source: { balances: { availableMinor } },
      destination: takesMoney(identity),
    };
  }
  const neededMinor = request.allowPartial ? 1 : request.amount;
  // A hot Wallet lacked the money at the moment of this request at which all of it was read.
  const lacking = source.shards ? undefined : { require: { availableMinor: below(neededMinor) } };
  return decline("INSUFFICIENT_FUNDS", lacking, takesMoney(identity));
}

function approve(request: TransferCreate, identity: CardIdentity | undefined): Decision {
  return {
    transStatus: TransferStatus.approved,
    amountMinor: request.amount,
    source: { isCovered: true },
    destination: takesMoney(identity),
  };
}

function decline(
  declineReason: TransferDeclineReason,
  source: Decision["source"],
  destination: AccountCondition | undefined,
): Decision {
  return {
    transStatus: TransferStatus.declined,
    amountMinor: 0,
    declineReason,
    ...(source && { source }),
    destination,
  };
}

/** What must be true of the destination, for it to take money. Undefined for a Wallet. */
function takesMoney(identity: CardIdentity | undefined): AccountCondition | undefined {
  if (!identity) return undefined;
  return all<Card>(hasStatusIn([CardStatus.active, CardStatus.onHold]), hasOwnMoney, hasSameNumber(identity));
}

function toTransfer(
  { scope, body, transferId }: Request,
  at: Date,
  { transStatus, amountMinor, declineReason }: Decision,
): FromWallet {
  return {
    transferId,
    transStatus,
    sourceWalletId: body.sourceWalletId,
    destinationType: body.destinationType,
    destinationId: body.destinationId,
    requestedAmountMinor: body.amount,
    transferredAmountMinor: amountMinor,
    currency: scope.currency,
    declineReason,
    memo: body.memo,
    ...newLabels(body),
    createdAt: timestamp(at),
  };
}
