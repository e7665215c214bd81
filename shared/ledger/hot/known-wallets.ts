import { BoundedMap } from "../../platform/bounded-map.ts";
import { monotonicMs } from "../../platform/clock.ts";
import { randomInteger } from "../../platform/id.ts";
import type { StoredAccount } from "../account.ts";
import type { Draw } from "./plan-draw.ts";
import { shardIds } from "./shards.ts";

/** Other processes take from most parts: what was read earlier is read again before it is used. */
const recentMs = 1_000;

/** What this process knows of a Wallet that has shards. */
export class HotWallet {
  readonly shards: number;
  /** An epoch that has begun: shards of later ones may be sealed. */
  epoch = 0;
  /** The end of a sealing that this process awaits. */
  opening: Promise<StoredAccount | undefined> | undefined;
  /** Shards that this process does not write at the moment, the best first. */
  readonly #free: string[];
  /** What each part had when this process saw it last. */
  #seen = new Map<string, number>();
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(shards: number) {
    this.shards = shards;
    this.#free = shuffle(shardIds({ shards }));
  }

  take(): string {
    return this.#free.shift() ?? String(randomInteger(1, this.shards + 1));
  }

  /** What all parts have, as far as it is known; undefined until all were read. */
  get seen(): ReadonlyMap<string, number> | undefined {
    return this.#readAtMs > Number.NEGATIVE_INFINITY ? this.#seen : undefined;
  }

  /** Whether all parts were read a moment ago. */
  get isRecent(): boolean {
    return monotonicMs() - this.#readAtMs < recentMs;
  }

  /** What the part has that the next request takes, as far as it is known. */
  get nextMinor(): number | undefined {
    return this.#seen.get(this.#free[0] ?? "");
  }

  seeAll(parts: ReadonlyMap<string, number>): void {
    this.#seen = new Map(parts);
    this.#readAtMs = monotonicMs();
  }

  /** By a change of this process. */
  seeMoved(draw: Draw): void {
    for (const [part, deltaMinor] of draw) {
      const seenMinor = this.#seen.get(part);
      if (seenMinor !== undefined) this.#seen.set(part, seenMinor + deltaMinor);
    }
  }

  /** The next request takes it first if it went well. */
  giveBack(shardId: string, wentWell: boolean): void {
    if (this.#free.includes(shardId)) return;
    if (wentWell) this.#free.unshift(shardId);
    else this.#free.push(shardId);
  }

  /** One request waits for all of this process. */
  awaitEpoch(
    wait: () => Promise<StoredAccount | undefined>,
    epoch: number,
  ): Promise<StoredAccount | undefined> {
    if (epoch <= this.epoch) return wait();
    this.opening ??= wait().finally(() => {
      this.opening = undefined;
    });
    // The time of the request that began to wait may be up before that of others.
    return this.opening.catch(wait);
  }
}

/** By the Wallet's key. */
const hotWallets = new BoundedMap<string, HotWallet>(1_000);

export function getHotWallet(walletKey: string): HotWallet | undefined {
  return hotWallets.get(walletKey);
}

export function forgetHotWallet(walletKey: string): void {
  hotWallets.delete(walletKey);
}

export function learnHotWallet(walletKey: string, { shards = 0, epoch = 0 }: StoredAccount): HotWallet {
  const known = hotWallets.get(walletKey);
  const hot = known?.shards === shards ? known : new HotWallet(shards);
  if (hot !== known) hotWallets.set(walletKey, hot);
  hot.epoch = Math.max(hot.epoch, epoch);
  return hot;
}

function shuffle(ids: readonly string[]): string[] {
  return ids
    .map((id) => ({ id, place: randomInteger(0, 2 ** 32) }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ id }) => id);
}
