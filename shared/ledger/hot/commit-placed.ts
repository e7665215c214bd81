import { Conflict, type Delay, jitter, soon } from "../../platform/table/retry.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { accountAction } from "../account.ts";
import { sendCommit } from "../commit.ts";
import type { CommitOutcome, Placed, Touched } from "../hot-wallets.ts";
import { ShardPlacement } from "./placement.ts";

/** A Wallet's change goes to its item, or to its shards; a Card's to its item. */
export function placeWallets(programId: string, touched: readonly Touched[]): Placed {
  const placements = touched.map(({ change, delta, entry }) =>
    change.account.kind === "wallet"
      ? new ShardPlacement(programId, change, delta, entry)
      : { actions: () => [accountAction(programId, change, delta, entry)] },
  );
  const wallets = placements.filter((placement) => placement instanceof ShardPlacement);
  // A commit that others wait for is not delayed.
  const delay: Delay = (conflicts) =>
    wallets.some(({ holdsUpOthers }) => holdsUpOthers) ? soon(1) : jitter(conflicts);
  const commit = (others: readonly WriteAction[]) => commitPlaced({ placements, wallets, others, delay });
  return { commit, delay, release: (wentWell) => Promise.all(wallets.map((one) => one.release(wentWell))) };
}

/** DynamoDB takes no more in one transaction. */
const maximumWrites = 100;

function countWrites(actions: readonly WriteAction[]): number {
  return actions.reduce((sum, { alongside = [] }) => sum + 1 + alongside.length, 0);
}

interface PlacedCommit {
  readonly placements: readonly { readonly actions: () => WriteAction[] }[];
  readonly wallets: readonly ShardPlacement[];
  readonly others: readonly WriteAction[];
  readonly delay: Delay;
}

/** After a Wallet's conflict, or if a part of it lacks the money, the next attempt differs. */
async function commitPlaced(
  { placements, wallets, others, delay }: PlacedCommit,
  isRepeated = false,
): Promise<CommitOutcome | Conflict> {
  const isSealed = wallets.some(({ holdsUpOthers }) => holdsUpOthers);
  if (!isSealed) await Promise.all(wallets.map((wallet) => wallet.prepare()));
  const placed = placements.flatMap((one) => {
    const actions = one.actions();
    return one instanceof ShardPlacement
      ? actions.map((action) => ({ ...action, givenBackAfter: 1 }))
      : actions;
  });
  const actions = [...placed, ...others];
  // A Wallet's merge is a transaction of its own where this one has no room for it.
  if (countWrites(actions) > maximumWrites) {
    const made = await Promise.all(wallets.map((wallet) => wallet.makeWhole()));
    if (made.includes(true)) return new Conflict(...wallets.map(({ name }) => name));
  }
  const { contended, ...sent } = await sendCommit(actions, delay);
  const conflicting = wallets.filter(({ name }) => contended?.includes(name));
  if (contended && conflicting.length > 0) {
    // All must end first: one that seals afterwards would never be released.
    const ends = await Promise.allSettled(conflicting.map((wallet) => wallet.avoidConflict()));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    return new Conflict(...contended);
  }
  if (contended || sent.outcome === "committed") return sent;
  const failedConditions = new Map(sent.failedConditions);
  const parts = wallets.filter(
    (wallet) => failedConditions.has(wallet.name) && wallet.isPart(failedConditions.get(wallet.name)),
  );
  const found = new Map(parts.map(({ name }) => [name, failedConditions.get(name)]));
  for (const { name } of parts) failedConditions.delete(name);
  if (failedConditions.size === 0) {
    for (const part of parts) {
      const mayWait = !wallets.some((other) => other !== part && other.holdsUpOthers);
      const whole = await part.replan(found.get(part.name), mayWait);
      if (whole) failedConditions.set(part.name, { ...whole });
    }
  }
  if (failedConditions.size > 0) return { outcome: "failed", failedConditions };
  if (!isRepeated) return commitPlaced({ placements, wallets, others, delay }, true);
  return new Conflict(...parts.map(({ name }) => name));
}
