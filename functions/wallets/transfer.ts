import { ApiError } from "../../shared/api-error.ts";
import { now, timestamp } from "../../shared/clock.ts";
import type { TransferResponse } from "../../shared/contract/wallets.ts";
import { newId } from "../../shared/id.ts";
import { type CommitOutcome, commitEntry } from "../../shared/ledger/commit-entry.ts";
import { journalEntry } from "../../shared/ledger/journal-entry.ts";
import { transferred } from "../../shared/ledger/movements.ts";
import { outboxPut } from "../../shared/outbox/outbox-put.ts";
import { TransactionContendedError } from "../../shared/table/transact.ts";
import {
  destinationOf,
  type Transfer,
  toTransferResponse,
  transferPuts,
} from "../../shared/wallet/transfer.ts";
import type { WalletOperations } from "./operations.ts";
import { approve, decideAgain, type TransferDecision } from "./transfer-decision.ts";

type Operation = WalletOperations["POST /wallets/transfer"];
type Request = Parameters<Operation>[0];

/** Each further decision means that another writer changed an account between two of ours. */
const maximumDecisions = 32;

/**
 * Transfers from a Wallet to a Wallet or a Card of the same Program, in minor units. Tries to move the whole amount
 * at once; what refuses that decides between 404, a partial transfer and a recorded decline (200, no money moved),
 * which holds only while its reason does.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 * @throws TransactionContendedError when the accounts kept changing between decision and commit.
 */
export const transfer: Operation = async (request) => {
  const draft = { transferId: newId("transfer"), at: now() };
  let decision = approve(request.body);
  for (let decided = 1; decided <= maximumDecisions; decided += 1) {
    const record = transferRecord(request, draft, decision);
    const result = await commitTransfer(request, draft.at, record, decision);
    if (result.outcome === "committed") return toTransferResponse(record);
    if (result.outcome === "replay") return result.answer;
    if (result.outcome === "mismatch") throw new ApiError("IDEMPOTENCY_MISMATCH");
    const again = decideAgain(request.body, result.refusals);
    if (again === "not_found") throw new ApiError("NOT_FOUND");
    decision = again;
  }
  throw new TransactionContendedError(["source", "destination"]);
};

function transferRecord(
  { scope, body }: Request,
  { transferId, at }: { transferId: string; at: Date },
  { transStatus, amountMinor, declineReason }: TransferDecision,
): Transfer {
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

function commitTransfer(
  { scope, idempotency }: Request,
  at: Date,
  record: Transfer,
  { amountMinor, declineReason, source, destination }: TransferDecision,
): Promise<CommitOutcome<TransferResponse>> {
  const { programId } = scope;
  const { transferId, sourceWalletId, destinationId } = record;
  const sourceAccount = { kind: "wallet", accountId: sourceWalletId } as const;
  return commitEntry({
    programId,
    at,
    ...(!declineReason && {
      entry: journalEntry(
        "transfer",
        transferId,
        transferred(sourceWalletId, destinationId, amountMinor),
        at,
      ),
    }),
    accounts: [
      { name: "source", account: sourceAccount, require: source },
      { name: "destination", account: destinationOf(record), require: destination },
    ],
    writes: [
      ...transferPuts(programId, record),
      outboxPut(programId, declineReason ? "transfer.declined" : "transfer.completed", { ...record }, at),
    ],
    ...(idempotency && { idempotency: { key: idempotency, answer: toTransferResponse(record) } }),
  });
}
