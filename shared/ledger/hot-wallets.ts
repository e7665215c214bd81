import type { StoredItem, WriteAction } from "../platform/table/transact.ts";
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

/** Where one account's change is written. */
export interface Placement {
  readonly name: string;
  readonly actions: () => WriteAction[];
}

/** A Wallet's change goes to its item, or to its shards. */
export interface WalletPlacement extends Placement {
  /** Other changes of the Wallet wait for this one. */
  readonly holdsUpOthers: boolean;
  /** Awaits what this process knows to be under way, so that the next attempt does not fail. */
  readonly prepare: () => Promise<void>;
  /** The next attempt uses another item, if there is one. */
  readonly avoidConflict: () => Promise<void>;
  /** Merges a change of several writes into one item. False if it is one. */
  readonly makeWhole: () => Promise<boolean>;
  /** Whether a condition failed only because this is a part of a hot Wallet. */
  readonly isPart: (found: StoredItem) => boolean;
  /**
   * Plans again after a failed condition of a part. Returns the balances of the whole Wallet if
   * they do not allow the change.
   */
  readonly replan: (found: StoredItem, mayWait: boolean) => Promise<StoredAccount | undefined>;
  /** The last of all. */
  readonly release: (wentWell: boolean) => Promise<void>;
}

export type ReadWallet = (programId: string, account: Account) => Promise<StoredAccount | undefined>;

/** Wallets that many move money of at once: their balance is in shards (`hot/`). */
interface HotWallets {
  readonly place: (
    programId: string,
    change: AccountChange,
    delta: AccountBalances | undefined,
    entry: EntryCause | undefined,
  ) => WalletPlacement;
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
