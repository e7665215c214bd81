import { AsyncLocalStorage } from "node:async_hooks";
import { table } from "../../shared/platform/table/client.ts";

/** A process that ends with one of its writes: before it, or when it is made. */
interface Doomed {
  writesLeft: number;
  readonly isMade: boolean;
}

const doomed = new AsyncLocalStorage<Doomed>();
let isInstalled = false;

/** Others that run at the same time go on: only calls of the doomed work are looked at. */
function install(): void {
  if (isInstalled) return;
  isInstalled = true;
  table.middlewareStack.add(
    (next, context) => async (args) => {
      const process = doomed.getStore();
      if (!process) return next(args);
      const isWrite = /^(TransactWrite|Put|Update|Delete)/.test(String(context.commandName));
      if (process.writesLeft < 0) throw new Error("Killed.");
      if (!isWrite) return next(args);
      process.writesLeft -= 1;
      if (process.writesLeft >= 0) return next(args);
      if (process.isMade) await next(args);
      throw new Error("Killed.");
    },
    { step: "initialize", name: "kills" },
  );
}

/** Work that ends at its nth write, from 0, so that nothing after it is done or answered. */
export async function killed(nth: number, isMade: boolean, work: () => Promise<unknown>): Promise<void> {
  install();
  await doomed.run({ writesLeft: nth, isMade }, work).catch(() => undefined);
}
