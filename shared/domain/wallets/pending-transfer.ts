import * as z from "zod";
import { CardStatus, Currency, DestinationType, TransferStatus } from "../../contract/enums.ts";
import { integerEnum } from "../../contract/primitives.ts";
import { TransferDeclineReason } from "../../contract/wallets.ts";
import { listInsert, listUpdate } from "../../lists/change.ts";
import { now } from "../../platform/clock.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { IdempotencyKey } from "../../platform/idempotency.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { getCard, hasStatusIn, toCardIdentity } from "../cards/card.ts";
import { commitIdempotent } from "../ledger/commit.ts";
import { commitTransfer, getDestination, getSource, toTransferView, transferList } from "./transfer.ts";

/** Only the sandbox has them: a transfer of the platform ends in its request. */
const UnmovedTransfer = z.object({
  transferId: z.string(),
  transStatus: integerEnum(TransferStatus),
  sourceWalletId: z.string(),
  destinationType: integerEnum(DestinationType),
  destinationId: z.string(),
  requestedAmountMinor: z.int(),
  transferredAmountMinor: z.int(),
  currency: integerEnum(Currency),
  declineReason: TransferDeclineReason.optional(),
  memo: z.string().optional(),
  externalId: z.string().optional(),
  createdAt: z.string(),
});
export type UnmovedTransfer = Readonly<z.output<typeof UnmovedTransfer>>;

const transfers = defineEntity({
  name: "transfer",
  table: "issuing",
  schema: UnmovedTransfer,
  key: issuingKey.transfer,
});

const walletsOf = (transfer: UnmovedTransfer) =>
  [getSource(transfer), getDestination(transfer)].filter(({ kind }) => kind === "wallet");
const listed = (transfer: UnmovedTransfer) => ({ ...transfer, entityId: transfer.transferId });

/**
 * Records a transfer that moves nothing, and answers it. Its lists have a change apart: it changes.
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export async function recordUnmoved(
  programId: string,
  transfer: UnmovedTransfer,
  idempotency: IdempotencyKey | undefined,
) {
  const { transferId } = transfer;
  const commit = {
    programId,
    at: now(),
    accounts: [
      { name: "source", account: getSource(transfer) },
      { name: "destination", account: getDestination(transfer) },
    ],
    writes: walletsOf(transfer).map(({ accountId }) => ({
      ...transfers.at(programId, accountId, transferId).create(transfer),
      alongside: [listInsert(transferList, programId, transferId, listed(transfer), accountId)],
    })),
  };
  const result = await commitIdempotent(commit, idempotency, toTransferView(transfer));
  if (result.outcome === "failed") throw new ApiError("NOT_FOUND");
  return result.answer;
}

interface Outcome {
  readonly programId: string;
  readonly walletId: string;
  readonly transferId: string;
  readonly transStatus: TransferStatus;
  readonly idempotency: IdempotencyKey | undefined;
}

/**
 * Decides a pending transfer. Approved, it moves; without the money, or a Card that takes it, it is
 * declined.
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION unless it is pending; IDEMPOTENCY_MISMATCH
 */
export async function settlePending(
  outcome: Outcome,
): Promise<ReturnType<typeof toTransferView<UnmovedTransfer>>> {
  const { programId, walletId, transferId, transStatus, idempotency } = outcome;
  const pending = await transfers.at(programId, walletId, transferId).require();
  const isApproved = transStatus === TransferStatus.approved;
  const card =
    isApproved && pending.destinationType === DestinationType.card
      ? await getCard(programId, pending.destinationId)
      : undefined;
  const changes = {
    transStatus,
    transferredAmountMinor: isApproved ? pending.requestedAmountMinor : 0,
    ...(transStatus === TransferStatus.declined && { declineReason: "INSUFFICIENT_FUNDS" as const }),
  };
  const transfer: UnmovedTransfer = { ...pending, ...changes };
  const result = await commitTransfer({
    programId,
    at: now(),
    transfer,
    source: isApproved ? { isCovered: true } : "known",
    destination: card && hasStatusIn([CardStatus.active, CardStatus.onHold]),
    card: card && toCardIdentity(programId, card),
    seenMinor: card?.ledgerMinor,
    idempotency,
    recordWrites: changeWrites(programId, pending, transfer),
  });
  if (result.outcome !== "failed") return result.answer;
  if (result.failedConditions.has("transfer")) throw new ApiError("ILLEGAL_TRANSITION");
  return settlePending({ ...outcome, transStatus: TransferStatus.declined });
}

function changeWrites(programId: string, before: UnmovedTransfer, after: UnmovedTransfer): WriteAction[] {
  const { transferId, transStatus, transferredAmountMinor, declineReason } = after;
  const set = { transStatus, transferredAmountMinor, ...(declineReason && { declineReason }) };
  const pending = { ...before, transStatus: TransferStatus.pending };
  return walletsOf(before).map(({ accountId }) => ({
    ...transfers
      .at(programId, accountId, transferId)
      .update({ set }, { transStatus: TransferStatus.pending }),
    alongside: [listUpdate(transferList, programId, transferId, listed(pending), listed(after), accountId)],
  }));
}
