import type { Currency } from "../../contract/enums.ts";
import { timestamp } from "../../platform/clock.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { balanceChanges, type Posting } from "../ledger/postings.ts";
import { type BooksAccount, contraChart, toBooksAccount, unchangedAccounts } from "./chart.ts";
import type { Closing } from "./closing.ts";
import type { BooksDay } from "./day.ts";
import { isBefore, readBalancesAt } from "./opening.ts";
import { isFirstCopy, readEntries } from "./read-entries.ts";

export interface BooksScope {
  readonly programId: string;
  readonly currency: Currency;
  readonly day: BooksDay;
  /** What is before it need not be read. */
  readonly base: Closing | undefined;
}

/** What some owners contribute to the books: each entry is in one owner's part. */
export interface Collected {
  /** By contra account, the postings since the base and before the day. */
  readonly contraMinor: Readonly<Record<string, number>>;
  readonly entries: readonly JournalEntry[];
}

/** Debits are positive, credits negative, in minor units. */
export interface BooksBalance {
  readonly account: BooksAccount;
  readonly openingMinor: number;
  readonly debitsMinor: number;
  readonly creditsMinor: number;
}

export interface Books extends BooksScope {
  /** In the order of time. */
  readonly entries: readonly JournalEntry[];
  /** The trial balance, by account: of contra accounts, and of Cards and Wallets with an entry. */
  readonly balances: readonly BooksBalance[];
}

const lanes = 8;

export async function collect(
  { programId, day, base }: BooksScope,
  ownerIds: readonly string[],
): Promise<Collected> {
  const contraMinor: Record<string, number> = {};
  const entries: JournalEntry[] = [];
  const span = { from: new Date(base?.until ?? 0), until: day.until };
  const left = ownerIds.values();
  const lane = async () => {
    for (const ownerId of left) {
      for await (const entry of readEntries(programId, ownerId, span)) {
        if (!isFirstCopy(entry, ownerId)) continue;
        if (isBefore(entry, day.from)) addContra(contraMinor, entry.postings);
        else entries.push(entry);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { contraMinor, entries };
}

/** The books of the day, and the contra accounts at its end. */
export async function composeBooks(
  scope: BooksScope,
  parts: readonly Collected[],
): Promise<{ readonly books: Books; readonly closing: Closing }> {
  const { day, base } = scope;
  const contraMinor: Record<string, number> = { ...base?.contraMinor };
  for (const part of parts)
    for (const [account, minor] of Object.entries(part.contraMinor)) increase(contraMinor, account, minor);
  const entries = parts.flatMap((part) => part.entries).sort(compareEntries);
  const openings = new Map<string, number>();
  for (const [account, minor] of Object.entries(contraMinor))
    openings.set(toBooksAccount(account as Posting["account"]).name, -minor);
  await addOpenings(scope, entries, openings);
  const balances = toBalances(entries, openings);
  const { date, timeZone, from, until } = day;
  for (const { postings } of entries) addContra(contraMinor, postings);
  const closing = { date, timeZone, from: timestamp(from), until: timestamp(until), contraMinor };
  return { books: { ...scope, entries, balances }, closing };
}

/** Of the Cards and Wallets with an entry; the others are what is missing to zero. */
async function addOpenings(
  { programId, day }: BooksScope,
  entries: readonly JournalEntry[],
  openings: Map<string, number>,
): Promise<void> {
  const touched = new Set(entries.flatMap(({ postings }) => [...balanceChanges(postings).keys()]));
  const left = touched.values();
  const lane = async () => {
    for (const accountId of left) {
      const found = await readBalancesAt(programId, accountId, day.from);
      const parts = {
        available: found.availableMinor,
        held: found.heldMinor,
        pending: found.pendingDepositMinor,
      };
      for (const [part, minor] of Object.entries(parts))
        openings.set(toBooksAccount(`${accountId}:${part as keyof typeof parts}`).name, -minor);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const sum = [...openings.values()].reduce((total, minor) => total + minor, 0);
  openings.set(unchangedAccounts.name, -sum);
}

function toBalances(entries: readonly JournalEntry[], openings: ReadonlyMap<string, number>): BooksBalance[] {
  const moved = new Map<string, { debitsMinor: number; creditsMinor: number }>();
  for (const { account, amountMinor } of entries.flatMap(({ postings }) => postings)) {
    const { name } = toBooksAccount(account);
    const sums = moved.get(name) ?? { debitsMinor: 0, creditsMinor: 0 };
    moved.set(name, sums);
    if (amountMinor < 0) sums.debitsMinor -= amountMinor;
    else sums.creditsMinor += amountMinor;
  }
  const nothing = { debitsMinor: 0, creditsMinor: 0 };
  const types = new Map([...contraChart, unchangedAccounts].map(({ name, type }) => [name, type]));
  const names = new Set([...types.keys(), ...openings.keys(), ...moved.keys()]);
  return [...names]
    .map((name) => ({
      account: { name, type: types.get(name) ?? ("L" as const) },
      openingMinor: zeroed(openings.get(name) ?? 0),
      ...(moved.get(name) ?? nothing),
    }))
    .filter((one) => types.has(one.account.name) || one.openingMinor !== 0 || moved.has(one.account.name))
    .sort((one, other) => (one.account.name < other.account.name ? -1 : 1));
}

export function closingMinor({ openingMinor, debitsMinor, creditsMinor }: BooksBalance): number {
  return openingMinor + debitsMinor - creditsMinor;
}

function compareEntries(one: JournalEntry, other: JournalEntry): number {
  const [left, right] = [`${one.createdAt} ${one.entryId}`, `${other.createdAt} ${other.entryId}`];
  return left < right ? -1 : 1;
}

function addContra(sums: Record<string, number>, postings: readonly Posting[]): void {
  for (const { account, amountMinor } of postings)
    if (!account.includes(":")) increase(sums, account, amountMinor);
}

function increase(sums: Record<string, number>, account: string, minor: number): void {
  sums[account] = (sums[account] ?? 0) + minor;
}

/** Not -0. */
const zeroed = (minor: number) => minor || 0;
