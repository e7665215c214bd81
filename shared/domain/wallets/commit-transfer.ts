import type { IdempotencyKey } from "../../platform/idempotency/idempotency-key.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import type { CardIdentity } from "../cards/card-identity.ts";
import type { AccountRequirements } from "../ledger/account-change.ts";
import { type AnsweredOutcome, type Commit, commitIdempotent } from "../ledger/commit.ts";
import { journalEntry } from "../ledger/journal-entry.ts";
import { transferred } from "../ledger/movements.ts";
import { transferRecordPut } from "../transactions/funding-record.ts";
import { destinationOf, sourceOf, type Transfer, toTransferResponse, transferPuts } from "./transfer.ts";

/** A transfer as it was decided, and what must hold of its accounts for that. */
export interface DecidedTransfer<T extends Transfer> {
  readonly programId: string;
  readonly at: Date;
  readonly transfer: T;
  readonly source: AccountRequirements;
  readonly destination: AccountRequirements;
  /** The card that is loaded or unloaded, whose statement shows it. */
  readonly card: CardIdentity | undefined;
  readonly idempotency: IdempotencyKey | undefined;
}

/**
 * Commits a transfer: its money, its records and its event, or the record of its decline alone. Failed conditions are named `source` and
 * `destination`.
 */
export function commitTransfer<T extends Transfer>({
  programId,
  at,
  transfer,
  source,
  destination,
  card,
  idempotency,
}: DecidedTransfer<T>): Promise<AnsweredOutcome<ReturnType<typeof toTransferResponse<T>>>> {
  const { transferId, transferredAmountMinor: amountMinor, declineReason } = transfer;
  const [from, to] = [sourceOf(transfer), destinationOf(transfer)];
  const entry = () =>
    journalEntry(
      from.kind === "card" ? "card_unload" : "transfer",
      transferId,
      transferred(from.accountId, to.accountId, amountMinor),
      at,
      transfer.memo,
    );
  const commit: Commit = {
    programId,
    at,
    ...(!declineReason && { entry: entry() }),
    accounts: [
      { name: "source", account: from, require: source },
      { name: "destination", account: to, require: destination },
    ],
    writes: [
      ...transferPuts(programId, transfer),
      ...(card && !declineReason
        ? [transferRecordPut(card, { amountMinor, loads: to.kind === "card", relatedId: transferId, at })]
        : []),
      outboxPut(programId, declineReason ? "transfer.declined" : "transfer.completed", { ...transfer }, at),
    ],
  };
  return commitIdempotent(commit, idempotency, toTransferResponse(transfer));
}
