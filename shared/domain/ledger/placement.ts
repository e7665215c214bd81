import { all, atLeast, atMost, exists } from "../../platform/table/condition.ts";
import type { StoredItem, WriteAction } from "../../platform/table/transact.ts";
import { type AccountChange, accountAction, accountAt, type StoredAccount } from "./account.ts";
import { forgetHotWallet, getHotWallet, type HotWallet, learnHotWallet } from "./hot-wallets.ts";
import { type Draw, planDraw } from "./plan-draw.ts";
import { type AccountBalances, zeroBalances } from "./postings.ts";
import { readWhole } from "./read-account.ts";
import { awaitEpoch, endSealing, sealShards } from "./sealing.ts";
import { nextEpoch, readShards, type SplitWallet, walletShards } from "./shards.ts";
import { mergeActions, mergeShards } from "./split-wallet.ts";

/** Conflicts of one request on a Wallet's item before it looks for shards. */
const conflictsBeforeRead = 3;

/** A draw from more parts merges the Wallet instead: it is poor, or takes much of what it has. */
const maximumParts = 4;

/** Stands for the Wallet's own item among its shards. */
const ownItem = "";

/**
 * Where one account's change is written: its item, or shards of a hot Wallet. A process keeps to a
 * shard without conflicts, so that processes soon use different ones.
 */
export class Placement {
  readonly #programId: string;
  readonly #change: AccountChange;
  readonly #delta: AccountBalances;
  readonly #hasEntry: boolean;
  readonly #walletKey: string;
  #hot: HotWallet | undefined;
  /** The shard that this request has taken. */
  #shard: string | undefined;
  /** Undefined if the change is written to the account's item. */
  #draw: Draw | undefined;
  /** The Wallet if its shards are sealed for this change. */
  #sealed: SplitWallet | undefined;
  /** No shard alone has the money. */
  #isAboveParts = false;
  /** Others sealed the shards when this change needed it. */
  #isSealingContended = false;
  #conflicts = 0;

  constructor(programId: string, change: AccountChange, delta: AccountBalances | undefined) {
    this.#programId = programId;
    this.#change = change;
    this.#delta = delta ?? zeroBalances;
    this.#hasEntry = delta !== undefined;
    this.#walletKey = accountAt(programId, change.account).key.pk;
    this.#useShard();
  }

  get name(): string {
    return this.#change.name;
  }

  get isWallet(): boolean {
    return this.#change.account.kind === "wallet";
  }

  /** Other changes of the Wallet wait for this one. */
  get holdsUpOthers(): boolean {
    return this.#sealed !== undefined;
  }

  actions(): WriteAction[] {
    const { account } = this.#change;
    if (this.#sealed && !this.#draw) {
      const change = { availableMinor: this.#delta.availableMinor, entries: 1 };
      const actions = mergeActions(this.#programId, account, this.#sealed, {}, change);
      return actions.map((action) => ({ ...action, name: this.name }));
    }
    const delta = this.#hasEntry ? this.#delta : undefined;
    if (!this.#draw) return [accountAction(this.#programId, this.#change, delta)];
    // The Wallet's own item begins the next epoch.
    const draw = this.#sealed ? new Map([[ownItem, 0], ...this.#draw]) : this.#draw;
    return [...draw].map(([part, deltaMinor], index) => ({
      ...this.#partUpdate(part, deltaMinor, index === 0),
      name: this.name,
    }));
  }

  /** One of the parts counts the entry. */
  #partUpdate(part: string, availableMinor: number, isCounting: boolean): WriteAction {
    const add = isCounting ? { entries: 1 } : {};
    const hasTaken = availableMinor < 0 ? { availableMinor: atLeast(-availableMinor) } : exists;
    const sealed = this.#sealed?.stored;
    const epoch = sealed ? nextEpoch(sealed) : (this.#hot?.epoch ?? 0);
    if (part === ownItem) {
      const item = accountAt(this.#programId, this.#change.account);
      const increase = { availableMinor, ledgerMinor: availableMinor };
      if (!sealed) return item.update({ increase, add }, hasTaken);
      return item.update({ set: { epoch }, increase, add }, all({ epoch: sealed.epoch }, hasTaken));
    }
    const isOpen = { epoch: atMost(epoch) };
    return this.#shardAt(part).update({ increase: { availableMinor }, add }, all(isOpen, hasTaken));
  }

  /** The next attempt uses another item, if there is one. */
  async avoidConflict(): Promise<void> {
    const { account } = this.#change;
    this.#conflicts += 1;
    if (this.#sealed) return;
    if (this.#draw && this.#draw.size > 1 && this.#isAboveParts) {
      const stored = await accountAt(this.#programId, account).get();
      if (!stored?.shards) return;
      this.#learn(stored);
      await this.#sealAndDraw(stored);
    } else if (this.#draw) {
      this.#useShard();
    } else if (this.#mayUseShards && this.#conflicts % conflictsBeforeRead === 0) {
      const stored = await accountAt(this.#programId, account).get();
      if (stored?.shards) this.#learn(stored);
    }
  }

  /** Whether a condition failed only because this is a part of a hot Wallet. */
  isPart(found: StoredItem): boolean {
    const isOfParts = this.#draw !== undefined || this.#sealed !== undefined;
    return isOfParts || (this.isWallet && found?.shards !== undefined);
  }

  /**
   * Plans again after a failed condition of a part, `found`. Waits for a sealed one. Returns the
   * balances of the whole Wallet if they do not allow the change.
   */
  async replan(found: StoredItem): Promise<StoredAccount | undefined> {
    const { account, isCovered, require } = this.#change;
    await this.#endSealing();
    const epoch = Number(found?.epoch ?? 0);
    const stored = await (this.#hot
      ? this.#hot.awaitEpoch(() => awaitEpoch(this.#programId, account, epoch), epoch)
      : awaitEpoch(this.#programId, account, epoch));
    if (!stored?.shards) {
      forgetHotWallet(this.#walletKey);
      this.#draw = undefined;
      return undefined;
    }
    if (!this.#mayUseShards) {
      if (require) return readWhole(this.#programId, account, stored);
      await mergeShards(this.#programId, account);
      return undefined;
    }
    const wasSealed = this.#hot !== undefined && epoch > this.#hot.epoch;
    this.#learn(stored);
    if (wasSealed) return undefined;
    if (isCovered) return this.#planDraw(stored);
    this.#useShard();
    return undefined;
  }

  /** Awaits a sealing that this process knows of, so that the next attempt does not fail. */
  async prepare(): Promise<void> {
    const stored = this.#sealed ? undefined : await this.#hot?.opening;
    if (stored?.shards) this.#learn(stored);
  }

  async #planDraw(stored: StoredAccount): Promise<StoredAccount | undefined> {
    const { account } = this.#change;
    const shards = await readShards(this.#programId, account, stored);
    const available = new Map([[ownItem, stored.availableMinor], ...shards]);
    const neededMinor = -this.#delta.availableMinor;
    const draw = this.#drawFrom(available);
    this.#isAboveParts = Math.max(...available.values()) < neededMinor;
    if (!draw) {
      const whole = await readWhole(this.#programId, account, stored);
      return whole && whole.availableMinor < neededMinor ? whole : undefined;
    }
    if (draw.size <= maximumParts) this.#draw = draw;
    else await this.#sealAndDraw(stored);
    return undefined;
  }

  /** Takes from few parts while no other change uses them, or merges the Wallet. */
  async #sealAndDraw(stored: StoredAccount): Promise<void> {
    const { account } = this.#change;
    this.#sealed = await sealShards(this.#programId, account, stored);
    if (!this.#sealed) {
      this.#isSealingContended = true;
      return;
    }
    const shards = [...this.#sealed.shards].map(([id, { availableMinor }]) => [id, availableMinor] as const);
    const draw = this.#drawFrom(new Map([[ownItem, stored.availableMinor], ...shards]));
    const isMerging = !draw || draw.size > maximumParts || this.#isSealingContended;
    this.#draw = isMerging ? undefined : draw;
  }

  #drawFrom(available: ReadonlyMap<string, number>): Draw | undefined {
    const home = this.#shard !== undefined && available.has(this.#shard) ? this.#shard : ownItem;
    return planDraw(available, home, -this.#delta.availableMinor);
  }

  /** Gives the shard back. The next request takes it first if it went well. */
  async release(wentWell: boolean): Promise<void> {
    this.#putBack(wentWell);
    if (wentWell && this.#sealed) forgetHotWallet(this.#walletKey);
    // Without it, those who wait for the shards end the sealing.
    else await this.#endSealing().catch(() => undefined);
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

  #useShard(): void {
    const hot = this.#mayUseShards ? getHotWallet(this.#walletKey) : undefined;
    if (!hot) return;
    this.#putBack(false);
    this.#hot = hot;
    this.#shard = hot.take();
    this.#draw = new Map([[this.#shard, this.#delta.availableMinor]]);
  }

  /** Shards have nothing but available money: changes of the rest are made to the Wallet's item. */
  get #mayUseShards(): boolean {
    const { isCovered, require, balances, set } = this.#change;
    const { availableMinor, ledgerMinor, heldMinor, pendingDepositMinor } = this.#delta;
    const isAvailableOnly = availableMinor === ledgerMinor && heldMinor === 0 && pendingDepositMinor === 0;
    const isAllowed = isCovered ? availableMinor < 0 : availableMinor > 0;
    return this.isWallet && isAvailableOnly && isAllowed && !require && !balances && !set;
  }

  #shardAt(shardId: string) {
    return walletShards.at(this.#programId, this.#change.account.accountId, shardId);
  }
}
