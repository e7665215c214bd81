import { DestinationType } from "../../shared/contract/enums.ts";
import type { Card } from "../../shared/domain/cards/card.ts";
import { type CardIdentity, knownCard, rememberCard } from "../../shared/domain/cards/card-identity.ts";
import { readAccount } from "../../shared/domain/ledger/account.ts";
import { commitTransfer } from "../../shared/domain/wallets/commit-transfer.ts";
import { destinationOf, type Transfer } from "../../shared/domain/wallets/transfer.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { newId } from "../../shared/platform/id.ts";
import { Conflict, retryDecision } from "../../shared/platform/table/retry.ts";
import type { StoredItem } from "../../shared/platform/table/transact.ts";
import type { WalletOperations } from "./operations.ts";
import { approve, decideAgain, type TransferDecision } from "./transfer-decision.ts";

type Operation = WalletOperations["POST /wallets/transfer"];
type Request = Parameters<Operation>[0];

/**
 * Transfers from a Wallet to a Wallet or a Card of the same Program, in minor units. Tries to move the whole amount
 * at once; what refuses that decides between 404, a partial transfer and a recorded decline (200, no money moved),
 * which holds only while its reason does.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const transfer: Operation = async (request) => {
  const { card, decision: first } = await decideFirst(request);
  const { programId } = request.scope;
  const [transferId, at] = [newId("transfer"), now()];
  let decision = first;
  return retryDecision(async () => {
    const { source, destination } = decision;
    const transfer = transferRecord(request, transferId, at, decision);
    const { idempotency } = request;
    const decidedTransfer = { programId, at, transfer, source, destination, card, idempotency };
    const result = await commitTransfer(decidedTransfer);
    if (result.outcome !== "failed") return result.answer;
    const again = decideAgain(request.body, result.failedConditions);
    if (again === "not_found") throw new ApiError("NOT_FOUND");
    decision = again;
    return new Conflict("source", "destination");
  });
};

/** Approved without having looked, but for a card that this worker does not know: who reads that may as well decide by what is there. */
async function decideFirst({ scope, body }: Request): Promise<{
  card?: CardIdentity;
  decision: TransferDecision;
}> {
  const { programId } = scope;
  if (body.destinationType === DestinationType.wallet) return { decision: approve(body) };
  const known = knownCard(programId, body.destinationId);
  if (known) return { card: known, decision: approve(body) };
  const [source, destination] = await Promise.all([
    readAccount(programId, { kind: "wallet", accountId: body.sourceWalletId }),
    readAccount(programId, destinationOf(body)),
  ]);
  const decision = decideAgain(
    body,
    new Map<string, StoredItem>([
      ["source", source && { ...source }],
      ["destination", destination && { ...destination }],
    ]),
  );
  if (!destination || decision === "not_found") throw new ApiError("NOT_FOUND");
  return { card: rememberCard(programId, destination as Card), decision };
}

function transferRecord(
  { scope, body }: Request,
  transferId: string,
  at: Date,
  { transStatus, amountMinor, declineReason }: TransferDecision,
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
