import { ApiError } from "../../shared/api-error.ts";
import type { Card } from "../../shared/card/card.ts";
import { type CardIdentity, knownCard, rememberCard } from "../../shared/card/card-identity.ts";
import { now, timestamp } from "../../shared/clock.ts";
import type { TransferResponse } from "../../shared/contract/wallets.ts";
import { newId } from "../../shared/id.ts";
import { readAccount } from "../../shared/ledger/account.ts";
import { type CommitOutcome, commitEntry } from "../../shared/ledger/commit-entry.ts";
import { journalEntry } from "../../shared/ledger/journal-entry.ts";
import { transferred } from "../../shared/ledger/movements.ts";
import { outboxPut } from "../../shared/outbox/outbox-put.ts";
import { type StoredItem, TransactionContendedError } from "../../shared/table/transact.ts";
import { transferRecordPut } from "../../shared/transaction/funding-record.ts";
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
  const { card, decision: first } = await decideFirst(request);
  const draft = { transferId: newId("transfer"), at: now(), card };
  let decision = first;
  for (let decided = 1; decided <= maximumDecisions; decided += 1) {
    const record = transferRecord(request, draft, decision);
    const result = await commitTransfer(request, draft, record, decision);
    if (result.outcome === "committed") return toTransferResponse(record);
    if (result.outcome === "replay") return result.answer;
    if (result.outcome === "mismatch") throw new ApiError("IDEMPOTENCY_MISMATCH");
    const again = decideAgain(request.body, result.refusals);
    if (again === "not_found") throw new ApiError("NOT_FOUND");
    decision = again;
  }
  throw new TransactionContendedError(["source", "destination"]);
};

interface Draft {
  readonly transferId: string;
  readonly at: Date;
  /** The card that is loaded, if it is one. */
  readonly card?: CardIdentity | undefined;
}

/** Approved without having looked, but for a card that this worker does not know: who reads that may as well decide by what is there. */
async function decideFirst({ scope, body }: Request): Promise<{
  card?: CardIdentity;
  decision: TransferDecision;
}> {
  const { programId } = scope;
  if (body.destinationType === 0) return { decision: approve(body) };
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
  { transferId, at }: Draft,
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
  { at, card }: Draft,
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
        record.memo,
      ),
    }),
    accounts: [
      { name: "source", account: sourceAccount, require: source },
      { name: "destination", account: destinationOf(record), require: destination },
    ],
    writes: [
      ...transferPuts(programId, record),
      ...(card && !declineReason
        ? [transferRecordPut(card, { amountMinor, loads: true, relatedId: transferId, at })]
        : []),
      outboxPut(programId, declineReason ? "transfer.declined" : "transfer.completed", { ...record }, at),
    ],
    ...(idempotency && { idempotency: { key: idempotency, answer: toTransferResponse(record) } }),
  });
}
