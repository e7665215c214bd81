import * as z from "zod";
import type { AccountBalances } from "../ledger/account.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { balanceChanges, type Posting, zeroBalances } from "../ledger/postings.ts";
import { earliestId } from "../platform/id.ts";
import { inLanes } from "../platform/in-lanes.ts";
import { checkpoints, settleMs } from "../proofs/checkpoint.ts";
import type { Closing } from "./closing.ts";
import { idMarginMs, isFirstCopy, ownerParts, readEntries, readPart, shifted } from "./read-entries.ts";

/** A day of a Program, of 22 to 26 hours. */
export interface BooksDay {
  /** Such as `2026-11-20`. */
  readonly date: string;
  readonly timeZone: string;
  readonly from: Date;
  /** The first moment of the next day. */
  readonly until: Date;
}

/** Whether no commit under way can still add an entry to the day. */
export function isClosed({ until }: BooksDay, at: Date): boolean {
  return at.getTime() >= until.getTime() + settleMs;
}

export interface BooksScope {
  readonly programId: string;
  readonly day: BooksDay;
  /** What is before it need not be read. */
  readonly base: Closing | undefined;
}

/** Debits and credits of an account of postings, in minor units. */
const Moved = z.object({ debitsMinor: z.int(), creditsMinor: z.int() });

/** What entries add up to, by accounts of postings. */
export const Sums = z.object({
  entries: z.int(),
  /** Sums the postings of contra accounts since the base and before the day. */
  contraMinor: z.record(z.string(), z.int()),
  moved: z.record(z.string(), Moved),
});
export type Sums = z.output<typeof Sums>;

/** How far the owners are read: all before `next`, but what is left of the open ones. */
export const Cursor = z.object({
  next: z.int(),
  open: z.array(
    z.object({
      ownerId: z.string(),
      after: z.object({ part: z.string(), sk: z.string() }).optional(),
    }),
  ),
});
export type Cursor = z.output<typeof Cursor>;

interface Collected {
  /** They are in the order of time. */
  readonly entries: readonly JournalEntry[];
  readonly sums: Sums;
  /** Absent when all owners are read. */
  readonly cursor: Cursor | undefined;
}

export function noSums(): Sums {
  return { entries: 0, contraMinor: {}, moved: {} };
}

/** Asked after each entry and owner, with the number of entries. */
type IsFull = (entries: number) => boolean;

/** So many owners, or accounts, are read side by side. */
export const lanes = 8;

/** Each entry of the day is in the part of one of its owners. */
export async function collect(
  { programId, day, base }: BooksScope,
  ownerIds: readonly string[],
  begun: Cursor,
  isFull: IsFull,
): Promise<Collected> {
  const span = { from: new Date(base?.until ?? 0), until: day.until };
  const entries: JournalEntry[] = [];
  const sums = noSums();
  const left = [...begun.open, ...ownerIds.slice(begun.next).map((ownerId) => ({ ownerId }))];
  const unfinished: Cursor["open"] = [];
  let isStopped = false;
  const readOwner = async ({ ownerId, after }: Cursor["open"][number]) => {
    for await (const { entry, part, sk } of readEntries(programId, ownerId, span, after)) {
      if (isFirstCopy(entry, ownerId)) {
        if (isBefore(entry, day.from)) addContra(sums.contraMinor, entry.postings);
        else entries.push(entry);
      }
      isStopped ||= isFull(entries.length);
      if (isStopped) return void unfinished.push({ ownerId, after: { part, sk } });
    }
    isStopped ||= isFull(entries.length);
  };
  const { length: taken } = await inLanes(left, readOwner, lanes, () => isStopped);
  for (const { postings } of entries) addMoved(sums, postings);
  entries.sort(compareEntries);
  const untaken = begun.open.slice(taken);
  const next = begun.next + Math.max(0, taken - begun.open.length);
  const isComplete = unfinished.length === 0 && taken === left.length;
  return {
    entries,
    sums: { ...sums, entries: entries.length },
    cursor: isComplete ? undefined : { next, open: [...unfinished, ...untaken] },
  };
}

export function addSums(one: Sums, other: Sums): Sums {
  const contraMinor = { ...one.contraMinor };
  for (const [account, minor] of Object.entries(other.contraMinor)) increase(contraMinor, account, minor);
  const moved = { ...one.moved };
  for (const [account, { debitsMinor, creditsMinor }] of Object.entries(other.moved)) {
    const known = moved[account] ?? { debitsMinor: 0, creditsMinor: 0 };
    moved[account] = {
      debitsMinor: known.debitsMinor + debitsMinor,
      creditsMinor: known.creditsMinor + creditsMinor,
    };
  }
  return { entries: one.entries + other.entries, contraMinor, moved };
}

export function compareEntries(one: JournalEntry, other: JournalEntry): number {
  return entryOrder(one) < entryOrder(other) ? -1 : 1;
}

export function entryOrder({ createdAt, entryId }: JournalEntry): string {
  return `${createdAt} ${entryId}`;
}

function addMoved({ moved }: Sums, postings: readonly Posting[]): void {
  for (const { account, amountMinor } of postings) {
    moved[account] ??= { debitsMinor: 0, creditsMinor: 0 };
    if (amountMinor < 0) moved[account].debitsMinor -= amountMinor;
    else moved[account].creditsMinor += amountMinor;
  }
}

function addContra(sums: Record<string, number>, postings: readonly Posting[]): void {
  for (const { account, amountMinor } of postings)
    if (!account.includes(":")) increase(sums, account, amountMinor);
}

export function increase(sums: Record<string, number>, account: string, minor: number): void {
  sums[account] = (sums[account] ?? 0) + minor;
}

/**
 * The balances of a Card or Wallet at a time: those of its checkpoint, with what lies between. The
 * cost is that of the entries between the two, or of all before without a checkpoint.
 */
export async function readBalancesAt(
  programId: string,
  accountId: string,
  at: Date,
): Promise<AccountBalances> {
  const checkpoint = await checkpoints.at(programId, accountId).get();
  let balances = checkpoint?.balances ?? zeroBalances;
  const add = (entry: JournalEntry, sign: 1 | -1) => {
    balances = added(balances, balanceChanges(entry.postings).get(accountId) ?? zeroBalances, sign);
  };
  for (const [part, kind] of ownerParts(accountId)) {
    const bound = checkpoint?.parts[part]?.before ?? `${part}#`;
    const early = `${part}#${earliestId(kind, shifted(at, -idMarginMs))}`;
    const late = `${part}#${earliestId(kind, shifted(at, idMarginMs))}`;
    for await (const { entry, sk } of readPart(programId, accountId, { part, first: bound, last: late }))
      if (sk >= bound && isBefore(entry, at)) add(entry, 1);
    for await (const { entry, sk } of readPart(programId, accountId, { part, first: early, last: bound }))
      if (sk < bound && !isBefore(entry, at)) add(entry, -1);
  }
  return balances;
}

function isBefore({ createdAt }: JournalEntry, at: Date): boolean {
  return Date.parse(createdAt) < at.getTime();
}

function added(one: AccountBalances, other: AccountBalances, sign: 1 | -1): AccountBalances {
  return {
    availableMinor: one.availableMinor + sign * other.availableMinor,
    heldMinor: one.heldMinor + sign * other.heldMinor,
    pendingDepositMinor: one.pendingDepositMinor + sign * other.pendingDepositMinor,
    ledgerMinor: one.ledgerMinor + sign * other.ledgerMinor,
  };
}
