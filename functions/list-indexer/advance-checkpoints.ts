import type { Account } from "../../shared/ledger/account.ts";
import { isWalletId } from "../../shared/ledger/journal-entry.ts";
import { findListKind } from "../../shared/list-kinds.ts";
import {
  type ChangeRow,
  changedEntries,
  entryAttributes,
  triggersCompaction,
} from "../../shared/lists/entry.ts";
import { log } from "../../shared/platform/log.ts";
import { isTimeUp, withinTime } from "../../shared/platform/time-budget.ts";
import { advanceCheckpoint } from "../../shared/proofs/advance-checkpoint.ts";

/**
 * A batch takes no longer. A first checkpoint of a long journal takes several: lists do not wait
 * for it.
 */
const longestMs = 10_000;

/**
 * Advances the checkpoints of Cards and Wallets whose changes trigger compactions: one in 64.
 * Proofs do not depend on it, so it never fails a batch.
 */
export async function advanceCheckpoints(rows: readonly ChangeRow[]): Promise<void> {
  const accounts = new Map<string, { programId: string; accountId: string }>();
  for (const row of rows) {
    const accountId = findAccountId(row);
    if (accountId) accounts.set(`${row.programId} ${accountId}`, { programId: row.programId, accountId });
  }
  await withinTime(longestMs, async () => {
    for (const { programId, accountId } of accounts.values()) {
      // A later change of the account triggers it again.
      if (isTimeUp()) return;
      await advance(programId, accountId);
    }
  });
}

async function advance(programId: string, accountId: string): Promise<void> {
  try {
    const account: Account = { kind: isWalletId(accountId) ? "wallet" : "card", accountId };
    await advanceCheckpoint(programId, account);
  } catch (error) {
    log.error("The checkpoint could not be advanced.", { programId, accountId, error });
  }
}

/** The account whose list it is, or the Card whose record is listed. */
function findAccountId(row: ChangeRow): string | undefined {
  const kind = findListKind(row.listed);
  if (!triggersCompaction(kind, row)) return undefined;
  const [entry] = changedEntries(row);
  const cardId = entry && entryAttributes(kind, entry).cardId;
  return row.owner ?? (cardId === undefined ? undefined : String(cardId));
}
