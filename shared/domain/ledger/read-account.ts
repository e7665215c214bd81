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

/** How long a reading waits for a moment without transfers, or for the result of another one. */
const politeMs = 60;
const betweenReadings = () => randomInteger(15, 30);
/** Transactional readings before shards are sealed. */
const maximumReadings = 2;

/**
 * The sum of a Wallet and its shards at one moment. Seals the shards for it if they are never at
 * rest, and leaves the result to all readings that began before.
 * @throws ContendedError when the time for retries is up
 */
export async function readWhole(
  programId: string,
  account: Account,
  seen: StoredAccount | undefined,
  { mayWrite = true }: ReadOptions = {},
): Promise<StoredAccount | undefined> {
  const startedMs = monotonicMs();
  let stored = seen;
  let readings = 0;
  /** Results of later epochs are of a moment after this reading began. */
  let firstEpoch: number | undefined;
  const attempt = async () => {
    if (firstEpoch !== undefined) {
      stored = await accountAt(programId, account).get();
      const { reading } = stored ?? {};
      if (stored?.shards && reading && reading.epoch > firstEpoch) return { ...stored, ...reading };
    }
    if (!stored?.shards) return stored;
    const isUrgent = mayWrite && firstEpoch !== undefined && monotonicMs() - startedMs >= politeMs;
    if (isUrgent) return (await readSealed(programId, account, stored)) ?? new Conflict("shards");
    readings += 1;
    const mayRead = readings <= maximumReadings || !mayWrite;
    const found = mayRead ? await readTogetherWith(programId, account, stored) : undefined;
    if (found) return withShards(found.stored, found.shards.values());
    firstEpoch ??= (await accountAt(programId, account).get())?.epoch ?? 0;
    return new Conflict("shards");
  };
  const { result } = await repeat<StoredAccount | undefined>(attempt, { delay: betweenReadings });
  if (result instanceof Conflict) throw new ContendedError(result.names);
  return result;
}

/** The balances at the moment at which the next epoch begins; undefined if another began it. */
async function readSealed(
  programId: string,
  account: Account,
  seen: StoredAccount,
): Promise<StoredAccount | undefined> {
  const sealed = await sealShards(programId, account, seen);
  let own: StoredAccount | undefined = sealed?.stored;
  while (sealed && own?.shards && own.epoch === seen.epoch) {
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
