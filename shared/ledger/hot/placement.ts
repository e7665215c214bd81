import { all, atLeast, atMost, exists } from "../../platform/table/condition.ts";
import { optionally } from "../../platform/table/retry.ts";
import type { StoredItem, WriteAction } from "../../platform/table/transact.ts";
import {
  type AccountBalances,
  type AccountChange,
  accountAction,
  accountAt,
  accounts,
  type EntryCause,
  type StoredAccount,
} from "../account.ts";
import { zeroBalances } from "../postings.ts";
import { forgetHotWallet, getHotWallet, type HotWallet, learnHotWallet } from "./known-wallets.ts";
import { type Draw, planDraw } from "./plan-draw.ts";
import { readWhole } from "./read-whole.ts";
import { awaitEpoch, endSealing, sealShards } from "./sealing.ts";
import { mayUseShards, nextEpoch, ownItem, readParts, type SplitWallet, walletShards } from "./shards.ts";
import { mergeActions, mergeShards, trySplit } from "./split-wallet.ts";

/** Conflicts of one request on a Wallet's item before the Wallet is split. */
const conflictsBeforeSplit = 3;

/** A draw from more parts merges the Wallet instead: it is poor, or takes much of what it has. */
const maximumParts = 16;

/** After so many sealings of others, a draw merges the Wallet: most of its draws are large. */
const sealingsBeforeMerge = 3;

/**
 * Where one Wallet's change is written: its item, or shards. A process keeps to a shard without
 * conflicts, so that processes soon use different ones.
 */
export class ShardPlacement {
  readonly #programId: string;
  readonly #change: AccountChange;
  readonly #delta: AccountBalances;
  readonly #hasEntry: boolean;
  readonly #entry: EntryCause | undefined;
  readonly #walletKey: string;
  #hot: HotWallet | undefined;
  #shard: string | undefined;
  /** Undefined if the change is written to the account's item. */
  #draw: Draw | undefined;
  /** The Wallet if its shards are sealed for this change. */
  #sealed: SplitWallet | undefined;
  /** No part alone has the money. */
  #isAboveParts = false;
  #lostSealings = 0;
  #conflicts = 0;

  constructor(
    programId: string,
    change: AccountChange,
    delta: AccountBalances | undefined,
    entry: EntryCause | undefined,
  ) {
    this.#programId = programId;
    this.#entry = entry;
    this.#change = change;
    this.#delta = delta ?? zeroBalances;
    this.#hasEntry = delta !== undefined;
    this.#walletKey = accountAt(programId, change.account).key.pk;
    this.#useShard();
  }

  get name(): string {
    return this.#change.name;
  }

  /** Other changes of the Wallet wait for this one. */
  get holdsUpOthers(): boolean {
    return this.#sealed !== undefined;
  }

  actions(): WriteAction[] {
    const { account } = this.#change;
    if (this.#sealed && !this.#draw) {
      const { availableMinor, heldMinor } = this.#delta;
      const change = { availableMinor, heldMinor, entries: this.#entry?.count ?? 1 };
      const actions = mergeActions(this.#programId, account, this.#sealed, {}, change);
      return actions.map((action) => ({ ...action, name: this.name }));
    }
    const delta = this.#hasEntry ? this.#delta : undefined;
    if (!this.#draw) return [accountAction(this.#programId, this.#change, delta, this.#entry)];
    // The Wallet's own item begins the next epoch.
    const draw = this.#sealed ? new Map([[ownItem, 0], ...this.#draw]) : this.#draw;
    return [...draw].map(([part, deltaMinor], index) => ({
      ...this.#partUpdate(part, deltaMinor, index === 0),
      name: this.name,
    }));
  }

  /** One of the parts counts the entry, and has what is held by it. */
  #partUpdate(part: string, availableMinor: number, isCounting: boolean): WriteAction {
    const heldMinor = isCounting ? this.#delta.heldMinor : 0;
    const add = isCounting ? { entries: this.#entry?.count ?? 1 } : {};
    const held = heldMinor === 0 ? {} : { heldMinor };
    const hasTaken = availableMinor < 0 ? { availableMinor: atLeast(-availableMinor) } : exists;
    const sealed = this.#sealed?.stored;
    const epoch = sealed ? nextEpoch(sealed) : (this.#hot?.epoch ?? 0);
    if (part === ownItem) {
      const item = accountAt(this.#programId, this.#change.account);
      const increase = { availableMinor, ledgerMinor: availableMinor + heldMinor, ...held };
      if (!sealed) return item.update({ increase, add }, hasTaken);
      return item.update({ set: { epoch }, increase, add }, all({ epoch: sealed.epoch }, hasTaken));
    }
    const isOpen = { epoch: atMost(epoch) };
    const change = { increase: { availableMinor }, add: { ...add, ...held } };
    return this.#shardAt(part).update(change, all(isOpen, hasTaken));
  }

  /** The next attempt uses another item, if there is one. */
  async avoidConflict(): Promise<void> {
    const { account } = this.#change;
    this.#conflicts += 1;
    if (this.#sealed) return;
    if (this.#draw && this.#draw.size > 1 && this.#isAboveParts) {
      const stored = await accountAt(this.#programId, account).get();
      if (stored?.shards) await this.#sealAndDraw(stored, [...this.#draw.keys()]);
    } else if (this.#draw) {
      this.#useShard();
    } else if (this.#mayUseShards && this.#conflicts % conflictsBeforeSplit === 0) {
      const stored = await trySplit(this.#programId, account, -this.#delta.availableMinor);
      if (stored?.shards) this.#learn(stored);
    }
  }

  /** Merges a change of several writes into one item. False if it is one. */
  async makeWhole(): Promise<boolean> {
    if (this.#sealed === undefined && (this.#draw?.size ?? 0) <= 1) return false;
    await this.#endSealing();
    await mergeShards(this.#programId, this.#change.account);
    this.#useOwnItem(false);
    return true;
  }

  /** Whether a condition failed only because this is a part of a hot Wallet. */
  isPart(found: StoredItem): boolean {
    const isOfParts = this.#draw !== undefined || this.#sealed !== undefined;
    return isOfParts || found?.shards !== undefined;
  }

  /**
   * Plans again after a failed condition of a part. Returns the balances of the whole Wallet if
   * they do not allow the change. Waits for a sealed part, unless another Wallet is sealed for this
   * commit: two that pay each other would wait for each other.
   */
  async replan(found: StoredItem, mayWait: boolean): Promise<StoredAccount | undefined> {
    const { account, isCovered, require } = this.#change;
    if (!mayWait && this.#mayUseShards && !isCovered) return this.#useOwnItem(found !== undefined);
    await this.#endSealing();
    const epoch = Number(found?.epoch ?? 0);
    const isSealed = this.#hot !== undefined && epoch > this.#hot.epoch;
    if (this.#mayUseShards && isCovered && !isSealed) {
      // Its own item was tried, and says that it is split.
      if (!this.#hot && found?.shards !== undefined) this.#learn(accounts.wallet.parse(found));
      if (this.#hot) return this.#drawAgain();
    }
    const wait = () => awaitEpoch(this.#programId, account, epoch);
    const stored = await (this.#hot ? this.#hot.awaitEpoch(wait, epoch) : wait());
    if (!stored?.shards) return this.#useOwnItem(false);
    if (!this.#mayUseShards) {
      if (require) return readWhole(this.#programId, account, stored);
      await mergeShards(this.#programId, account);
      return undefined;
    }
    this.#learn(stored);
    return undefined;
  }

  /** Awaits what this process knows to be under way, so that the next attempt does not fail. */
  async prepare(): Promise<void> {
    const stored = await this.#hot?.opening?.catch(() => undefined);
    if (stored?.shards) this.#learn(stored);
  }

  /** Reads all parts: what was known of them has failed. */
  async #drawAgain(): Promise<StoredAccount | undefined> {
    const { account } = this.#change;
    const { stored, parts } = await readParts(this.#programId, account, { shards: this.#hot?.shards });
    if (!stored?.shards) return this.#useOwnItem(false);
    this.#learn(stored);
    this.#hot?.seeAll(parts);
    const draw = this.#planDraw(parts);
    if (!draw) {
      const whole = await readWhole(this.#programId, account, stored);
      return whole && whole.availableMinor < -this.#delta.availableMinor ? whole : undefined;
    }
    if (draw.size <= maximumParts) this.#draw = draw;
    else await this.#sealAndDraw(stored);
    return undefined;
  }

  /** Takes from the parts that have it, as far as this process knows. */
  #drawAsSeen(): boolean {
    const { seen } = this.#hot ?? {};
    const draw = seen && this.#change.isCovered ? this.#planDraw(seen) : undefined;
    if (!draw || draw.size > maximumParts) return false;
    this.#draw = draw;
    return true;
  }

  /** Takes from these parts while no other change uses them. From all: merges the Wallet. */
  async #sealAndDraw(stored: StoredAccount, parts?: readonly string[]): Promise<void> {
    const { account } = this.#change;
    const isMerging = !parts || this.#lostSealings >= sealingsBeforeMerge;
    const ids = isMerging ? undefined : parts.filter((part) => part !== ownItem);
    const sealed = await sealShards(this.#programId, account, stored, ids);
    if (!sealed) {
      this.#lostSealings += 1;
      return;
    }
    this.#sealed = sealed;
    const shards = [...sealed.shards].map(([id, { availableMinor }]) => [id, availableMinor] as const);
    const found = new Map([[ownItem, sealed.stored.availableMinor], ...shards]);
    const draw = isMerging ? undefined : this.#planDraw(found);
    if (draw || isMerging) this.#draw = draw;
    else await this.#endSealing();
  }

  #planDraw(parts: ReadonlyMap<string, number>): Draw | undefined {
    const home = this.#shard !== undefined && parts.has(this.#shard) ? this.#shard : ownItem;
    const takenMinor = -this.#delta.availableMinor;
    this.#isAboveParts = Math.max(...parts.values()) < takenMinor;
    return planDraw(parts, home, takenMinor);
  }

  /** Gives the shard back. The next request takes it first if it went well. */
  async release(wentWell: boolean): Promise<void> {
    this.#putBack(wentWell);
    if (wentWell && this.#draw) this.#hot?.seeMoved(this.#draw);
    const sealed = this.#sealed;
    if (!wentWell) {
      // Without it, those who wait for the shards end the sealing.
      await optionally(() => this.#endSealing()).catch(() => undefined);
    } else if (sealed && this.#draw) {
      learnHotWallet(this.#walletKey, { ...sealed.stored, epoch: nextEpoch(sealed.stored) });
    } else if (sealed) {
      forgetHotWallet(this.#walletKey);
    }
  }

  #putBack(wentWell: boolean): void {
    if (this.#shard !== undefined) this.#hot?.giveBack(this.#shard, wentWell);
    this.#shard = undefined;
  }

  async #endSealing(): Promise<void> {
    const sealed = this.#sealed;
    this.#sealed = undefined;
    if (sealed) await endSealing(this.#programId, this.#change.account, sealed);
  }

  #learn(stored: StoredAccount): void {
    const hot = learnHotWallet(this.#walletKey, stored);
    if (this.#draw) this.#hot = hot;
    else this.#useShard();
  }

  #useOwnItem(hasShards: boolean): undefined {
    if (!hasShards) forgetHotWallet(this.#walletKey);
    this.#putBack(false);
    this.#draw = undefined;
  }

  #useShard(): void {
    const hot = this.#mayUseShards ? getHotWallet(this.#walletKey) : undefined;
    if (!hot) return;
    this.#putBack(false);
    this.#hot = hot;
    this.#shard = hot.take();
    if (!this.#drawAsSeen()) this.#draw = new Map([[this.#shard, this.#delta.availableMinor]]);
  }

  get #mayUseShards(): boolean {
    return mayUseShards(this.#change, this.#delta);
  }

  #shardAt(shardId: string) {
    return walletShards.at(this.#programId, this.#change.account.accountId, shardId);
  }
}
