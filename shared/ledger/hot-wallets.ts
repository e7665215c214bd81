import type { Conflict, Delay } from "../platform/table/retry.ts";
import type { FailedConditions, WriteAction } from "../platform/table/transact.ts";
import {
  type Account,
  type AccountBalances,
  type AccountChange,
  accountAt,
  type EntryCause,
  type StoredAccount,
} from "./account.ts";

export interface ReadOptions {
  /** False for tools and proofs: a Wallet that is never at rest may be unreadable then. */
  readonly mayWrite?: boolean;
}

/**
 * Consistent read; undefined if the account does not exist in this Program.
 * @throws ContendedError when the time for retries is up
 */
export async function readAccount(
  programId: string,
  account: Account,
  options?: ReadOptions,
): Promise<StoredAccount | undefined> {
  return readWhole(programId, account, await accountAt(programId, account).get(), options);
}

/**
 * The balances of the whole account, at one moment after `seen` was read.
 * @throws ContendedError when the time for retries is up
 */
export async function readWhole(
  programId: string,
  account: Account,
  seen: StoredAccount | undefined,
  options?: ReadOptions,
): Promise<StoredAccount | undefined> {
  return seen?.shards ? requireHotWallets().readWhole(programId, account, seen, options) : seen;
}

/** What became of a commit. Only `committed` has written anything. */
export type CommitOutcome =
  | { readonly outcome: "committed" }
  | { readonly outcome: "failed"; readonly failedConditions: FailedConditions };

/** An account of a commit, and what its entries change of it. */
export interface Touched {
  readonly change: AccountChange;
  readonly delta: AccountBalances | undefined;
  readonly entry: EntryCause | undefined;
}

/** Where the accounts of a commit are written. */
export interface Placed {
  /** Tries a transaction of the accounts' actions and these. After a conflict, another follows. */
  readonly commit: (others: readonly WriteAction[]) => Promise<CommitOutcome | Conflict>;
  readonly delay?: Delay;
  /** The last of all. */
  readonly release?: (wentWell: boolean) => Promise<unknown>;
}

export type ReadWallet = (programId: string, account: Account) => Promise<StoredAccount | undefined>;

/** Wallets that many move money of at once: their balance is in shards (`hot/`). */
interface HotWallets {
  readonly place: (programId: string, touched: readonly Touched[]) => Placed;
  readonly readWhole: typeof readWhole;
  readonly foresee: (amountMinor: number, mayRead: boolean) => ReadWallet;
}

let hotWallets: HotWallets | undefined;

/** Each function that moves money, or reads balances, opens this door: `hot/door.ts`. */
export function openHotWallets(opened: HotWallets): void {
  hotWallets = opened;
}

/** Without it, a Wallet's own item would be taken for all of it. */
export function requireHotWallets(): HotWallets {
  if (!hotWallets) throw new Error("A Wallet is used, and the door to hot Wallets is not open.");
  return hotWallets;
}
