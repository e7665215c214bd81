import * as z from "zod";
import type { Balances } from "../contract/balances.ts";
import { Currency } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import { absent, all, any, atLeast, type Condition, exists } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";

export interface Account {
  readonly kind: "card" | "wallet";
  /** cardId or walletId. */
  readonly accountId: string;
}

/** An account's item counts the copies of journal entries that are stored with it. */
export const entryCounts = {
  /** Counted by each commit. */
  entries: z.int(),
  /** The kind of the last entry, and what it is related to: receivers are told why money moved. */
  moved: z.string().optional(),
};

export const noEntries = { entries: 0 };

const storedBalances = {
  availableMinor: z.int(),
  heldMinor: z.int(),
  pendingDepositMinor: z.int(),
  ledgerMinor: z.int(),
  entries: entryCounts.entries,
};

/** The attributes of a card's or wallet's item that the ledger knows. */
const StoredAccount = z.object({
  currency: integerEnum(Currency),
  ...storedBalances,
  ...entryCounts,
  /** A hot Wallet has this number of shards, which have the rest of its balances. */
  shards: z.int().optional(),
  /** A Wallet that is or was hot has one: shards of a later epoch must not be used. Only rises. */
  epoch: z.int().optional(),
  /** The epoch for which shards were last sealed: above `epoch` until that epoch begins. */
  sealing: z.int().optional(),
  /** How long others wait for a sealing: longer after one that took more time. */
  sealingMs: z.int().optional(),
  /** The whole of a hot Wallet at the moment at which this epoch began. */
  reading: z.object({ ...storedBalances, epoch: z.int() }).optional(),
  /** What a Card that spends from Wallets holds of them. */
  fundedHeldMinor: z.int().optional(),
  /** When its shards were last merged for what parts cannot decide. */
  mergedAt: z.string().optional(),
});
export type StoredAccount = Readonly<z.output<typeof StoredAccount>>;

const stored = { name: "account", schema: StoredAccount, saysWhenChanged: true } as const;
export const accounts = {
  card: defineEntity({
    ...stored,
    key: (programId: string, cardId: string) => ({ pk: `${programId}#${cardId}`, sk: "CARD" }),
  }),
  wallet: defineEntity({
    ...stored,
    key: (programId: string, walletId: string) => ({ pk: `${programId}#${walletId}`, sk: "WALLET" }),
  }),
};

/** A condition on an account's item. Other modules also use attributes unknown to the ledger. */
export type AccountCondition = Condition<AccountBalances>;

/** One card or wallet in a commit. Only the entry's postings change its balances. */
export interface AccountChange {
  /** Names the account among the commit's failed conditions. */
  readonly name: string;
  readonly account: Account;
  /** The entry takes no more than the available balance. */
  readonly isCovered?: boolean;
  /** What must hold besides that the account exists. */
  readonly require?: AccountCondition | undefined;
  /** Balances that must still be as they were seen. */
  readonly balances?: Partial<AccountBalances> | undefined;
  /** Among the commit's writes is one that creates it, with the balances after the entry. */
  readonly isCreated?: boolean;
  /** More attributes that change, such as the status of a closed card. */
  readonly set?: Readonly<Record<string, string | number>>;
  /** Numbers beside the balances that rise or fall: what a Card holds of a Wallet. */
  readonly add?: Readonly<Record<string, number>>;
  readonly remove?: readonly string[];
}

/** The account's own item: a hot Wallet's balances are only in part there. */
export function accountAt(programId: string, { kind, accountId }: Account) {
  return accounts[kind].at(programId, accountId);
}

/**
 * The account's one conditional write: an update, or a check if nothing changes. `balanceChange` is
 * undefined if no entry touches the account.
 */
export function accountAction(
  programId: string,
  { name, account, require, isCovered, balances = {}, set = {}, add = {}, remove = [] }: AccountChange,
  balanceChange: AccountBalances | undefined,
  entry?: EntryCause,
): WriteAction {
  const item = accountAt(programId, account);
  const takenMinor = -(balanceChange?.availableMinor ?? 0);
  const isWhole = { shards: absent };
  const hasTaken = { availableMinor: atLeast(takenMinor) };
  const condition = all<StoredAccount>(
    exists,
    ...(require ? [require] : []),
    ...(hasAny(balances) ? [balances] : []),
    ...(isCovered ? [hasTaken] : []),
    // What a hot Wallet's item alone cannot decide.
    ...(account.kind === "wallet" && (require || hasAny(balances)) ? [isWhole] : []),
    ...(account.kind === "wallet" && !isCovered && takenMinor > 0 ? [any(isWhole, hasTaken)] : []),
  );
  const increase = Object.fromEntries(
    Object.entries(balanceChange ?? {}).filter(([, deltaMinor]) => deltaMinor !== 0),
  );
  const changes = balanceChange || hasAny(set) || hasAny(add) || remove.length > 0;
  if (!changes) return { ...item.check(condition), name };
  const counted = balanceChange && {
    set: { ...set, ...movedBy(entry) },
    add: { ...add, entries: entry?.count ?? 1 },
  };
  const removed = remove as readonly never[];
  return { ...item.update({ set, increase, add, remove: removed, ...counted }, condition), name };
}

/** What a journal entry is of. */
export interface EntryCause {
  readonly kind: string;
  readonly relatedId: string;
  /** How many entries the commit has. Default: one. */
  readonly count?: number;
}

export function movedBy(entry: EntryCause | undefined): { readonly moved?: string } {
  return entry ? { moved: `${entry.kind} ${entry.relatedId}` } : {};
}

const hasAny = (fields: object) => Object.keys(fields).length > 0;

export function toBalances({ availableMinor, ledgerMinor }: AccountBalances): Balances {
  return { availableBalance: availableMinor, ledgerBalance: ledgerMinor };
}

/** The stored balances of a card or wallet; `ledgerMinor` is always the sum of the other three. */
export interface AccountBalances {
  readonly availableMinor: number;
  readonly heldMinor: number;
  readonly pendingDepositMinor: number;
  readonly ledgerMinor: number;
}
