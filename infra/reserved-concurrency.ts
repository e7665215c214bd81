import type { Settings } from "./environments.ts";

/** Two sweeps at once would only compete for the same rows. */
export const sweeperConcurrency = 1;

/** What an environment's functions reserve of the account's concurrency. Lambda wants 100 more to stay unreserved. */
export function reservedConcurrencyOf({ processorConcurrency = 0 }: Settings): number {
  return processorConcurrency + sweeperConcurrency;
}
