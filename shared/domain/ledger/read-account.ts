import { monotonicMs } from "../../platform/clock.ts";
import { randomInteger } from "../../platform/id.ts";
import { Conflict, ContendedError, repeat, soon } from "../../platform/table/retry.ts";
import { type Account, accountAt, type StoredAccount } from "./account.ts";
import { sealShards } from "./sealing.ts";
import { nextEpoch, readTogetherWith, withShards } from "./shards.ts";

interface ReadOptions {
  /** False for tools: a Wallet that is never at rest may be unreadable then. */
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

/** Between two sealings, transfers use the shards for at least this time. */
const politeMs = 60;

/**
 * The sum of a Wallet and its shards at one moment after `seen` was read. Seals the shards for it
 * if they are not at rest, and leaves the result to all readings that began before.
 * @throws ContendedError when the time for retries is up
 */
export async function readWhole(
  programId: string,
  account: Account,
  seen: StoredAccount | undefined,
  { mayWrite = true }: ReadOptions = {},
): Promise<StoredAccount | undefined> {
  const startedMs = monotonicMs();
  const politely = () => randomInteger(15, 30) + Math.max(0, startedMs + politeMs - monotonicMs());
  let stored = seen;
  let isFirst = true;
  const attempt = async () => {
    if (!stored?.shards) return stored;
    const isAtRest = isFirst || !mayWrite;
    isFirst = false;
    const whole = await (isAtRest ? readAtRest : readSealed)(programId, account, stored);
    if (whole) return whole;
    // A sealing of what has changed since does not begin.
    if (isAtRest && mayWrite) return new Conflict("shards");
    stored = await accountAt(programId, account).get();
    if (!stored?.shards || !stored.reading) return new Conflict("shards");
    const isLater = stored.reading.epoch > (seen?.epoch ?? 0);
    return isLater ? { ...stored, ...stored.reading } : new Conflict("shards");
  };
  const { result } = await repeat<StoredAccount | undefined>(attempt, { delay: politely });
  if (result instanceof Conflict) throw new ContendedError(result.names);
  return result;
}

async function readAtRest(
  programId: string,
  account: Account,
  seen: StoredAccount,
): Promise<StoredAccount | undefined> {
  const found = await readTogetherWith(programId, account, seen);
  return found && withShards(found.stored, found.shards.values());
}

/** The balances at the moment at which the next epoch begins; undefined if another began it. */
async function readSealed(
  programId: string,
  account: Account,
  seen: StoredAccount,
): Promise<StoredAccount | undefined> {
  const sealed = await sealShards(programId, account, seen);
  let own: StoredAccount | undefined = sealed?.stored;
  while (sealed && own && own.epoch === seen.epoch) {
    const whole = withShards(own, sealed.shards.values());
    const epoch = nextEpoch(own);
    const { availableMinor, heldMinor, pendingDepositMinor, ledgerMinor, entries } = whole;
    const reading = { epoch, availableMinor, heldMinor, pendingDepositMinor, ledgerMinor, entries };
    // Deposits change the Wallet's own item meanwhile.
    const isAsSeen = {
      epoch: own.epoch,
      availableMinor: own.availableMinor,
      heldMinor: own.heldMinor,
      pendingDepositMinor: own.pendingDepositMinor,
      entries: own.entries,
    };
    const outcome = await accountAt(programId, account).updateNow(
      { set: { epoch, reading } },
      isAsSeen,
      soon,
    );
    if (outcome.updated) return whole;
    own = outcome.stored;
  }
  return undefined;
}
