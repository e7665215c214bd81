import { moveDate } from "../local/moved-date.ts";

/**
 * Moves this thread's clock to that of the platform on this machine, which tests move: what is
 * overdue, held or of today follows from it. Returns what to do before each page.
 */
export function followClock(controlUrl: string | undefined): () => Promise<void> {
  if (controlUrl === undefined) return async () => undefined;
  const shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
  const offset = new BigInt64Array(shared);
  const { now: realNow } = Date;
  moveDate(shared);
  return async () => {
    const { now } = (await (await fetch(`${controlUrl}/clock`)).json()) as { now: string };
    Atomics.store(offset, 0, BigInt(Date.parse(now) - realNow()));
  };
}
