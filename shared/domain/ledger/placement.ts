import { BoundedMap } from "../../platform/bounded-map.ts";
import { randomInteger } from "../../platform/id.ts";
import { readBatch } from "../../platform/table/batch.ts";
import { atLeast, exists } from "../../platform/table/condition.ts";
import type { StoredItem, WriteAction } from "../../platform/table/transact.ts";
import { type AccountChange, accountAction, accountAt, type StoredAccount } from "./account.ts";
import { type Draw, planDraw } from "./plan-draw.ts";
import { type AccountBalances, zeroBalances } from "./postings.ts";
import { mergeShards, readAccount, shardCount, walletShards } from "./shards.ts";

/** By the Wallet's key: shards that this process does not write at the moment, the best first. */
const freeShards = new BoundedMap<string, string[]>(1_000);

/** Conflicts of one request on a Wallet's item before it looks for shards. */
const conflictsBeforeRead = 3;

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
  /** The shard that this request has taken. */
  #shard: string | undefined;
  /** Undefined if the change is written to the account's item. */
  #draw: Draw | undefined;
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

  actions(): WriteAction[] {
    const delta = this.#hasEntry ? this.#delta : undefined;
    if (!this.#draw) return [accountAction(this.#programId, this.#change, delta)];
    return [...this.#draw].map(([part, deltaMinor], index) => ({
      ...this.#partUpdate(part, deltaMinor, index === 0),
      name: this.name,
    }));
  }

  /** One of the parts counts the entry. */
  #partUpdate(part: string, availableMinor: number, isCounting: boolean): WriteAction {
    const { account } = this.#change;
    const add = isCounting ? { entries: 1 } : {};
    const condition = availableMinor < 0 ? { availableMinor: atLeast(-availableMinor) } : exists;
    if (part === ownItem) {
      const increase = { availableMinor, ledgerMinor: availableMinor };
      return accountAt(this.#programId, account).update({ increase, add }, condition);
    }
    const increase = { availableMinor, changes: 1 };
    return this.#shardAt(part).update({ increase, add }, condition);
  }

  /** The next attempt uses another item, if there is one. */
  async avoidConflict(): Promise<void> {
    this.#conflicts += 1;
    if (this.#draw) {
      this.release(false);
      this.#useShard();
    } else if (this.#mayUseShards && this.#conflicts % conflictsBeforeRead === 0) {
      const stored = await accountAt(this.#programId, this.#change.account).get();
      if (stored?.shards) this.#learn(stored.shards);
    }
  }

  /** Whether a condition failed only because this is a part of a hot Wallet. */
  isPart(found: StoredItem): boolean {
    return this.#draw !== undefined || (this.isWallet && found?.shards !== undefined);
  }

  /**
   * Plans again after a failed condition of a part. Returns the balances of the whole Wallet if
   * they do not allow the change.
   */
  async replan(): Promise<StoredAccount | undefined> {
    const { account, isCovered, require } = this.#change;
    const stored = await accountAt(this.#programId, account).get();
    this.release(false);
    if (!stored?.shards) {
      freeShards.delete(this.#walletKey);
      this.#draw = undefined;
      return undefined;
    }
    if (this.#mayUseShards) {
      this.#learn(stored.shards);
      return isCovered ? this.#planDraw(stored, stored.shards) : undefined;
    }
    if (require) return readAccount(this.#programId, account);
    await mergeShards(this.#programId, account);
    return undefined;
  }

  async #planDraw(stored: StoredAccount, shards: ReadonlySet<string>): Promise<StoredAccount | undefined> {
    const keys = new Map([...shards].map((id) => [this.#shardAt(id).key.pk, id]));
    const found = await readBatch([...shards].map((id) => this.#shardAt(id).key));
    const available = new Map([[ownItem, stored.availableMinor]]);
    for (const item of found) {
      available.set(keys.get(String(item.pk)) ?? ownItem, walletShards.parse(item).availableMinor);
    }
    const home = this.#shard !== undefined && available.has(this.#shard) ? this.#shard : ownItem;
    const neededMinor = -this.#delta.availableMinor;
    const draw = planDraw(available, home, neededMinor);
    if (draw) {
      this.#draw = draw;
      return undefined;
    }
    const whole = await readAccount(this.#programId, this.#change.account);
    return whole && whole.availableMinor < neededMinor ? whole : undefined;
  }

  /** Gives the shard back. The next request takes it first if it went well. */
  release(wentWell: boolean): void {
    const free = freeShards.get(this.#walletKey);
    if (this.#shard !== undefined && free && !free.includes(this.#shard)) {
      if (wentWell) free.unshift(this.#shard);
      else free.push(this.#shard);
    }
    this.#shard = undefined;
  }

  #learn(shards: ReadonlySet<string>): void {
    const known = freeShards.get(this.#walletKey);
    if (!known?.every((id) => shards.has(id))) freeShards.set(this.#walletKey, shuffle(shards));
    this.#useShard();
  }

  #useShard(): void {
    const free = this.#mayUseShards && freeShards.get(this.#walletKey);
    if (!free) return;
    this.#shard = free.shift() ?? String(randomInteger(1, shardCount + 1));
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

function shuffle(ids: ReadonlySet<string>): string[] {
  return [...ids]
    .map((id) => ({ id, place: randomInteger(0, 2 ** 32) }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ id }) => id);
}
