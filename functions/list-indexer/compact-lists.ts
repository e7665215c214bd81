import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import type { Account } from "../../shared/ledger/account.ts";
import { isWalletId } from "../../shared/ledger/journal-entry.ts";
import { findListKind, streamedChanges } from "../../shared/list-kinds.ts";
import {
  advancesCheckpoint,
  compactList,
  settleMs,
  triggersCompaction,
} from "../../shared/lists/compaction.ts";
import { type ChangeRow, changedEntries, entryAttributes, type List } from "../../shared/lists/kind.ts";
import {
  deleteOldChanges,
  rewriteLateChanges,
  type StreamedChange,
} from "../../shared/lists/late-changes.ts";
import { pause } from "../../shared/platform/clock.ts";
import { log } from "../../shared/platform/log.ts";
import { unpackItem } from "../../shared/platform/table/packed.ts";
import { isTimeUp, withinTime } from "../../shared/platform/time-budget.ts";
import { advanceCheckpoint } from "../../shared/proofs/read-journal.ts";

/**
 * Compacts lists whose changes arrive through the stream, rewrites late changes, deletes old ones,
 * and advances the checkpoints of accounts. Neither lists nor proofs depend on it. Batches may
 * arrive repeatedly, in part, or concurrently.
 */
export async function compactLists(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const changes = event.Records.flatMap(toChanges);
  const lists = Map.groupBy(changes, ({ list }) => `${list.programId} ${list.kind.name} ${list.owner ?? ""}`);
  // All lists of the batch settle during one wait.
  let wait: Promise<void> | undefined;
  const settle = () => {
    wait ??= pause(settleMs);
    return wait;
  };
  const compacted: List[] = [];
  const shared: Parameters<typeof compactList>[3] = new Map();
  for (const ofList of lists.values()) {
    const [{ list }] = ofList as [ListedChange];
    await rewriteLateChanges(list, ofList);
    if (!ofList.some((change) => triggersCompaction(list.kind, change.row))) continue;
    // Newer changes have batches of their own: the call ends with this one's.
    await compactList(
      list,
      settle,
      ofList.map(({ row }) => row),
      shared,
    );
    compacted.push(list);
  }
  // Last: no list's compaction waits for it.
  for (const list of compacted) {
    const { programId, kind, owner } = list;
    await deleteOldChanges(list).catch((error) =>
      log.error("Old changes could not be deleted.", { programId, list: kind.name, owner, error }),
    );
  }
  await advanceCheckpoints(changes.map(({ row }) => row));
  return { batchItemFailures: [] };
}

interface ListedChange extends StreamedChange {
  readonly list: List;
}

function toChanges({ dynamodb }: DynamoDBRecord): ListedChange[] {
  const item = unpackItem(unmarshall((dynamodb?.NewImage ?? {}) as Record<string, AttributeValue>));
  const { ApproximateCreationDateTime: seconds } = dynamodb ?? {};
  const committedAt = seconds === undefined ? undefined : seconds * 1_000;
  return streamedChanges(item).map((change) => ({ ...change, committedAt }));
}

/**
 * A batch takes no longer. A first checkpoint of a long journal takes several: lists do not wait
 * for it.
 */
const longestMs = 10_000;

/**
 * Advances the checkpoints of Cards and Wallets: one change in 64. Proofs do not depend on it, so
 * it never fails a batch.
 */
async function advanceCheckpoints(rows: readonly ChangeRow[]): Promise<void> {
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
  if (!advancesCheckpoint(kind, row)) return undefined;
  const [entry] = changedEntries(row);
  const cardId = entry && entryAttributes(kind, entry).cardId;
  return row.owner ?? (cardId === undefined ? undefined : String(cardId));
}
