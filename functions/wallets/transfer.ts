import { CardStatus, DestinationType, TransferStatus } from "../../shared/contract/enums.ts";
import type { TransferCreate, TransferDeclineReason } from "../../shared/contract/wallets.ts";
import {
  type Card,
  type CardIdentity,
  cacheCard,
  cards,
  findCachedCard,
  getCard,
  hasStatusIn,
} from "../../shared/domain/cards/card.ts";
import type { AccountCondition, StoredAccount } from "../../shared/domain/ledger/account.ts";
import { commitTransfer, type SourceCondition, type Transfer } from "../../shared/domain/wallets/transfer.ts";
import { wallets } from "../../shared/domain/wallets/wallet.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { newId } from "../../shared/platform/id.ts";
import { below } from "../../shared/platform/table/condition.ts";
import { Conflict, retryDecision } from "../../shared/platform/table/retry.ts";
import type { FailedConditions } from "../../shared/platform/table/transact.ts";
import type { WalletOperations } from "./operations.ts";

type Operation = WalletOperations["POST /wallets/transfer"];
type Request = Parameters<Operation>[0];

/** What a transfer does, and the conditions that its commit requires. */
interface Decision {
  readonly transStatus: TransferStatus;
  readonly amountMinor: number;
  readonly declineReason?: TransferDeclineReason;
  readonly source?: SourceCondition | "known";
  readonly destination?: AccountCondition | undefined;
}

/**
 * Tries to move the whole amount first. Failed conditions decide between 404, a partial transfer
 * and a recorded decline (200, no money moved), which commits only while its reason holds.
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const transfer: Operation = async (request) => {
  const { scope, body, idempotency } = request;
  const { programId } = scope;
  const first = await decideFirst(request);
  const { card } = first;
  let { decision, seenMinor } = first;
  const [transferId, at] = [newId("transfer"), now()];
  return retryDecision(async () => {
    const { source, destination } = decision;
    const record = toTransfer(request, transferId, at, decision);
    const result = await commitTransfer({
      programId,
      at,
      transfer: record,
      source,
      destination,
      card,
      seenMinor,
      idempotency,
    });
    if (result.outcome !== "failed") return result.answer;
    seenMinor = result.failedConditions.get("destination")?.ledgerMinor as number | undefined;
    decision = decideAgain(body, result.failedConditions);
    return new Conflict("source", "destination");
  });
};

interface First {
  readonly decision: Decision;
  readonly card?: CardIdentity;
  /** The Card's ledger balance, if it was read. */
  readonly seenMinor?: number;
}

/** Approves without a read if it knows what it needs of the Card. */
async function decideFirst({ scope, body }: Request): Promise<First> {
  const { programId } = scope;
  if (body.destinationType === DestinationType.wallet) return { decision: approve(body) };
  const known = findCachedCard(programId, body.destinationId);
  if (known) return { card: known, decision: approve(body) };
  const [source, card] = await Promise.all([
    wallets.at(programId, body.sourceWalletId).require(),
    getCard(programId, body.destinationId),
  ]);
  // A hot Wallet's own item does not decide.
  const whole = source.shards ? undefined : source;
  const { ledgerMinor: seenMinor } = card;
  return { card: cacheCard(programId, card), decision: decide(body, whole, card), seenMinor };
}

/**
 * Decides anew from the accounts that failed their conditions.
 * @throws ApiError NOT_FOUND
 */
function decideAgain(request: TransferCreate, failed: FailedConditions): Decision {
  const isMissing = (name: string) => failed.has(name) && failed.get(name) === undefined;
  if (isMissing("source") || isMissing("destination")) throw new ApiError("NOT_FOUND");
  const isLoad = request.destinationType === DestinationType.card;
  const card = isLoad ? cards.parse(failed.get("destination")) : undefined;
  return decide(request, failed.get("source") as StoredAccount | undefined, card);
}

/** Unread accounts count as sufficient: the commit's conditions verify the decision. */
function decide(
  request: TransferCreate,
  source: StoredAccount | undefined,
  card: Card | undefined,
): Decision {
  const declineReason = card && declineReasons[card.issuerCardStatus];
  if (declineReason) return decline(declineReason, undefined, hasStatusIn([card.issuerCardStatus]));
  if (!source || source.availableMinor >= request.amount) return approve(request);
  const { availableMinor } = source;
  if (request.allowPartial && availableMinor > 0) {
    return {
      transStatus: TransferStatus.partial,
      amountMinor: availableMinor,
      source: { balances: { availableMinor } },
      destination: takesMoney(request),
    };
  }
  const neededMinor = request.allowPartial ? 1 : request.amount;
  // A hot Wallet lacked the money at the moment of this request at which all of it was read.
  const lacking = source.shards ? "known" : { require: { availableMinor: below(neededMinor) } };
  return decline("INSUFFICIENT_FUNDS", lacking, takesMoney(request));
}

function approve(request: TransferCreate): Decision {
  return {
    transStatus: TransferStatus.approved,
    amountMinor: request.amount,
    source: { isCovered: true },
    destination: takesMoney(request),
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

const declineReasons: Partial<Record<CardStatus, TransferDeclineReason>> = {
  [CardStatus.pending]: "CARD_PENDING",
  [CardStatus.closed]: "CARD_CLOSED",
  [CardStatus.notActivated]: "CARD_NOT_ACTIVATED",
};

/** The condition that the destination takes money. */
function takesMoney({ destinationType }: TransferCreate): AccountCondition | undefined {
  if (destinationType === DestinationType.wallet) return undefined;
  return hasStatusIn([CardStatus.active, CardStatus.onHold]);
}

function toTransfer(
  { scope, body }: Request,
  transferId: string,
  at: Date,
  { transStatus, amountMinor, declineReason }: Decision,
): Extract<Transfer, { readonly sourceWalletId: string }> {
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
    externalId: body.externalId,
    createdAt: timestamp(at),
  };
}
