import "../../../shared/ledger/hot/door.ts";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import type { Account } from "../../../shared/ledger/account.ts";
import {
  hashBytes,
  isMovedMonth,
  keptSince,
  type Month,
  type MovedMonth,
  movedMonths,
  readMoved,
  toLines,
  toMonth,
} from "../../../shared/ledger/closed-journal.ts";
import { journalEntries } from "../../../shared/ledger/journal-entry.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { recordsBucket } from "../../../shared/platform/file-store.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { readAllItems, toPartitionQuery } from "../../../shared/platform/table/query.ts";
import { checkpoints, isCovered, keepCheckpoint } from "../../../shared/proofs/checkpoint.ts";
import { digestEntry } from "../../../shared/proofs/journal-tally.ts";
import { proveFromJournal } from "../../../shared/proofs/prove-balances.ts";
import { readJournal } from "../../../shared/proofs/read-journal.ts";
import { closedMonths, makeStatement, readStatementAccount } from "../../../shared/statements/statement.ts";
import { type Item, scan } from "../audit/scan.ts";

const deletedAtOnce = 8;

/**
 * Moves the old months of all Cards. Safe to stop at any moment, and to repeat. Faults are Cards
 * whose balances are not proved, or whose months could not be moved.
 */
export async function moveMonths(at: Date, onCard: (cards: number) => void) {
  const before = keptSince(at);
  const faults: string[] = [];
  let [cards, months, entries] = [0, 0, 0];
  const allCards = scan(table, environment.issuingTable, {
    ConsistentRead: false,
    FilterExpression: "sk = :card",
    ExpressionAttributeValues: { ":card": "CARD" },
    ProjectionExpression: "pk, createdAt",
  });
  for await (const { pk, createdAt } of allCards) {
    const [programId = "", cardId = ""] = String(pk).split("#");
    const old = monthsBetween(new Date(String(createdAt)), before);
    try {
      const moved = await moveCardMonths(programId, cardId, old, at);
      months += moved.length;
      entries += moved.reduce((sum, one) => sum + one.entries, 0);
    } catch (error) {
      faults.push(`${programId} ${cardId}: ${(error as Error).message}`);
    }
    cards += 1;
    onCard(cards);
  }
  return { cards, months, entries, faults };
}

function monthsBetween(from: Date, before: Date): Month[] {
  const months: Month[] = [];
  for (let month = toMonth(from); month.until <= before; month = toMonth(month.until)) months.push(month);
  return months;
}

/** The months that were moved now. */
export async function moveCardMonths(
  programId: string,
  cardId: string,
  months: readonly Month[],
  at: Date,
): Promise<MovedMonth[]> {
  const account = { kind: "card", accountId: cardId } as const;
  const moved: MovedMonth[] = [];
  for (const month of months) {
    const items = await readMonth(programId, cardId, month);
    const marker = items.find(isMovedMonth);
    const entries = items.filter((item) => !isMovedMonth(item));
    if (entries.length === 0) continue;
    if (marker) {
      // A run was stopped before it had deleted all.
      await deleteMoved(programId, cardId, movedMonths.parse(marker), entries);
      continue;
    }
    if (moved.length === 0) await assertProved(programId, account);
    await close(programId, account, month, at);
    const written = await write(programId, cardId, month, entries);
    // If two run at once, the first one counts: the other's object is only a copy.
    const first = (await movedMonths.at(programId, cardId, month).createNow(written)) ?? written;
    await deleteMoved(programId, cardId, first, entries);
    moved.push(first);
  }
  if (moved.length > 0) await assertProved(programId, account);
  return moved;
}

async function readMonth(programId: string, cardId: string, month: Month): Promise<Item[]> {
  const { pk, sk: first } = movedMonths.at(programId, cardId, month).key;
  const items = await readAllItems(toPartitionQuery(pk, { first, last: month.end }));
  return items.filter(({ sk }) => String(sk) < month.end);
}

/** Read anew from the first entry, wherever it is. */
async function assertProved(programId: string, account: Account): Promise<void> {
  const { proven, identities } = await proveFromJournal(programId, account);
  const failed = identities.filter(({ holds }) => !holds).map(({ name }) => name);
  if (!proven) throw new Error(`its balances are not proved: ${failed.join(", ")}`);
}

/** The month's statements are closed and locked, and the checkpoint has its entries. */
async function close(programId: string, account: Account, month: Month, at: Date): Promise<void> {
  const { accountId } = account;
  const subject = await readStatementAccount(programId, account, at);
  const noLimits = { maximumEntries: Number.POSITIVE_INFINITY, isTimeUp: () => false };
  for (const [index, { period, from, until }] of subject.months.entries()) {
    if (until <= month.from || from >= month.until) continue;
    await makeStatement(subject, index, at, noLimits);
    const closed = await closedMonths.at(programId, accountId, period).get();
    if (!closed) throw new Error(`its statement ${period} is not closed`);
    await recordsBucket.write(`statements/${programId}/${accountId}/${period}.json`, JSON.stringify(closed));
  }
  const item = checkpoints.at(programId, accountId);
  const seen = await item.get();
  if (seen && isCovered(seen, month.end)) return;
  const isTimeUp = () => false;
  const reading = await readJournal({ programId, account, checkpoint: seen, isTimeUp, isSettledOnly: true });
  await keepCheckpoint(programId, account, reading.next, seen);
  const kept = await item.get();
  if (!kept || !isCovered(kept, month.end)) throw new Error(`its checkpoint does not cover ${month.name}`);
}

/** Under a name that has its hash: a second run writes the same object. */
async function write(programId: string, cardId: string, month: Month, entries: readonly Item[]) {
  const { pk } = journalEntries.key(programId, cardId, "");
  const text = toLines(entries);
  const sha256 = hashBytes(text);
  const movedTo = `journal/${programId}/${cardId}/${month.name}-${sha256}.jsonl`;
  const written = { movedTo, sha256, entries: entries.length, movedAt: timestamp() };
  await recordsBucket.write(movedTo, text, "application/x-ndjson");
  const read = await readMoved(pk, written);
  if (digestItems(read) !== digestItems(entries))
    throw new Error(`${movedTo} does not have what was written`);
  return written;
}

/** Hashes all entries in their order, as checkpoints and statements do. */
function digestItems(items: readonly Item[]): string {
  return items.reduce((before, item) => digestEntry(journalEntries.parse(item), before), "");
}

/** Each only if the object has it, and it is still what was written there. */
async function deleteMoved(programId: string, cardId: string, moved: MovedMonth, entries: readonly Item[]) {
  const { pk } = journalEntries.key(programId, cardId, "");
  const digests = new Map((await readMoved(pk, moved)).map((item) => [String(item.sk), digestItems([item])]));
  const differs = entries.find((item) => {
    const digest = digests.get(String(item.sk));
    return digest !== undefined && digest !== digestItems([item]);
  });
  if (differs) throw new Error(`${String(differs.sk)} differs from ${moved.movedTo}`);
  const left = entries.filter(({ sk }) => digests.has(String(sk)));
  for (let begun = 0; begun < left.length; begun += deletedAtOnce)
    await Promise.all(
      left.slice(begun, begun + deletedAtOnce).map(async (item) => {
        const { entryId, createdAt, relatedId } = journalEntries.parse(item);
        const { Delete } = journalEntries.at(programId, cardId, entryId).delete({ createdAt, relatedId });
        try {
          await table.send(new DeleteCommand(Delete));
        } catch (error) {
          // Another run was first.
          if (!(error instanceof ConditionalCheckFailedException)) throw error;
        }
      }),
    );
}
