import type { Currency } from "../contract/enums.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import type { Posting } from "../ledger/postings.ts";
import { timestamp } from "../platform/clock.ts";
import { inLanes } from "../platform/in-lanes.ts";
import { type BooksAccount, contraChart, toBooksAccount, unchangedAccounts } from "./chart.ts";
import type { Closing } from "./closing.ts";
import { type BooksDay, type BooksScope, increase, lanes, readBalancesAt, type Sums } from "./collect.ts";

/** Debits are positive, credits negative, in minor units. */
interface BooksBalance {
  readonly account: BooksAccount;
  readonly openingMinor: number;
  readonly debitsMinor: number;
  readonly creditsMinor: number;
}

/** The books of a day, without their entries. */
export interface Books {
  readonly programId: string;
  readonly currency: Currency;
  readonly day: BooksDay;
  /** The number of the day's entries. */
  readonly entries: number;
  /** The trial balance, by account: of contra accounts, and of Cards and Wallets with an entry. */
  readonly balances: readonly BooksBalance[];
}

/** By account of postings, in minor units; credits are positive. */
export type Openings = Readonly<Record<string, number>>;

/** The Cards and Wallets with an entry of the day, in order. */
export function movedAccounts({ moved }: Sums): string[] {
  const ids = Object.keys(moved).flatMap((account) => account.match(/^(.*):/)?.[1] ?? []);
  return [...new Set(ids)].sort();
}

/** Their balances as the day began. Returns how many were read. */
export async function readOpenings(
  { programId, day }: BooksScope,
  accountIds: readonly string[],
  isTimeUp: () => boolean,
): Promise<{ readonly openings: Openings; readonly read: number }> {
  const openings: Record<string, number> = {};
  const readAccount = async (accountId: string) => {
    const found = await readBalancesAt(programId, accountId, day.from);
    openings[`${accountId}:available`] = found.availableMinor;
    openings[`${accountId}:held`] = found.heldMinor;
    openings[`${accountId}:pending`] = found.pendingDepositMinor;
  };
  const read = await inLanes(accountIds, readAccount, lanes, isTimeUp);
  return { openings, read: read.length };
}

/** The books of the day, and the contra accounts at its end. */
export function composeBooks(
  { programId, day, base, currency }: BooksScope & Pick<Books, "currency">,
  { entries, contraMinor, moved }: Sums,
  openings: Openings,
): { readonly books: Books; readonly closing: Closing } {
  const contra: Record<string, number> = { ...base?.contraMinor };
  for (const [account, minor] of Object.entries(contraMinor)) increase(contra, account, minor);
  const openingMinor = namedOpenings({ ...contra, ...openings });
  const balances = toBalances(moved, openingMinor);
  for (const [account, { debitsMinor, creditsMinor }] of Object.entries(moved))
    if (!account.includes(":")) increase(contra, account, creditsMinor - debitsMinor);
  const { date, timeZone, from, until } = day;
  const closing = { date, timeZone, from: timestamp(from), until: timestamp(until), contraMinor: contra };
  return { books: { programId, currency, day, entries, balances }, closing };
}

/** By name, debits positive. The accounts without an entry are what is missing to zero. */
function namedOpenings(openings: Openings): ReadonlyMap<string, number> {
  const named = new Map<string, number>();
  let sum = 0;
  for (const [account, minor] of Object.entries(openings)) {
    named.set(toBooksAccount(account as Posting["account"]).name, -minor);
    sum -= minor;
  }
  return named.set(unchangedAccounts.name, -sum);
}

function toBalances(moved: Sums["moved"], openings: ReadonlyMap<string, number>): BooksBalance[] {
  const sums = new Map(
    Object.entries(moved).map(([account, one]) => [toBooksAccount(account as Posting["account"]).name, one]),
  );
  const nothing = { debitsMinor: 0, creditsMinor: 0 };
  const types = new Map([...contraChart, unchangedAccounts].map(({ name, type }) => [name, type]));
  const names = new Set([...types.keys(), ...openings.keys(), ...sums.keys()]);
  return [...names]
    .map((name) => ({
      account: { name, type: types.get(name) ?? ("L" as const) },
      openingMinor: zeroed(openings.get(name) ?? 0),
      ...(sums.get(name) ?? nothing),
    }))
    .filter((one) => types.has(one.account.name) || one.openingMinor !== 0 || sums.has(one.account.name))
    .sort((one, other) => (one.account.name < other.account.name ? -1 : 1));
}

export function closingMinor({ openingMinor, debitsMinor, creditsMinor }: BooksBalance): number {
  return openingMinor + debitsMinor - creditsMinor;
}

/** Never returns -0. */
function zeroed(minor: number): number {
  return minor === 0 ? 0 : minor;
}

/** Books as text, which can be written in parts. */
export interface BooksForm {
  readonly extension: string;
  readonly mediaType: string;
  readonly head: (books: Books) => Iterable<string>;
  /** Absent where entries are not named. */
  readonly entry?: (books: Pick<Books, "day" | "currency">, entry: JournalEntry) => Iterable<string>;
  readonly tail: (books: Books) => Iterable<string>;
}
