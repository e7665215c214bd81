import { accountAt } from "../account.ts";
import type { ReadWallet } from "../hot-wallets.ts";
import { getHotWallet, type HotWallet } from "./known-wallets.ts";
import { ownItem, readParts, readTogetherWith, withShards } from "./shards.ts";

/**
 * Beside the reads of a change: sees to it that its commit takes from parts that have the amount,
 * so that it need not fail first to learn which. `mayRead`: other reads are under way meanwhile.
 * Returns the whole Wallet, at one moment, if it may lack the amount.
 */
export const foresee =
  (amountMinor: number, mayRead: boolean): ReadWallet =>
  async (programId, account) => {
    const hot = getHotWallet(accountAt(programId, account).key.pk);
    if (!hot || (hot.nextMinor ?? amountMinor) >= amountMinor) return undefined;
    if (!lacks(hot, amountMinor)) {
      if (!mayRead || hot.isRecent) return undefined;
      const { stored, parts } = await readParts(programId, account, hot);
      if (!stored?.shards) return stored;
      hot.seeAll(parts);
      if (!lacks(hot, amountMinor)) return undefined;
    }
    const found = await readTogetherWith(programId, account, hot);
    if (!found) return undefined;
    const shards = [...found.shards].map(([id, { availableMinor }]) => [id, availableMinor] as const);
    hot.seeAll(new Map([[ownItem, found.stored.availableMinor], ...shards]));
    return withShards(found.stored, found.shards.values());
  };

/** As far as all parts are known. */
function lacks({ seen }: HotWallet, amountMinor: number): boolean {
  return seen !== undefined && [...seen.values()].reduce((sum, minor) => sum + minor, 0) < amountMinor;
}
