import { AsyncLocalStorage } from "node:async_hooks";
import type { StoredItem, TransactionOutcome, WriteAction } from "./transact.ts";

/** A write that must succeed with the first transaction of the work. */
export interface Once {
  readonly write: WriteAction;
  isWritten: boolean;
}

const current = new AsyncLocalStorage<Once>();

/** The write's condition failed: the work was done before. */
export class DoneBeforeError extends Error {
  override readonly name = "DoneBeforeError";
  readonly stored: StoredItem;

  constructor(stored: StoredItem) {
    super("The work was done before.");
    this.stored = stored;
  }
}

/** The first transaction that the work commits commits the write too, or neither does. */
export function withOnce<T>(once: Once, work: () => Promise<T>): Promise<T> {
  return current.run(once, work);
}

/** The write that the next transaction takes along, if any. */
export function pendingOnce(): Once | undefined {
  const once = current.getStore();
  return once?.isWritten ? undefined : once;
}

/** @throws DoneBeforeError */
export function settleOnce(once: Once, outcome: TransactionOutcome): void {
  if (outcome.committed) once.isWritten = true;
  else if (outcome.failedConditions.has(once.write.name))
    throw new DoneBeforeError(outcome.failedConditions.get(once.write.name));
}
