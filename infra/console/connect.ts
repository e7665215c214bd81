import { findConnectionFile } from "../command-line/connection-file.ts";
import { readStore, useStore } from "../commands/audit/connect-store.ts";
import { findTarget, type Target } from "../commands/dead-letters/target.ts";
import { writtenStore } from "../commands/deployed-store.ts";

/**
 * Points this process at an environment's tables, with the person's own credentials for AWS. Call
 * this before importing modules that read the environment.
 */
export async function connect(environment: string | undefined): Promise<Target> {
  const name = environment ?? "local";
  useStore(name === "local" ? readStore(findConnectionFile()) : await writtenStore(name));
  return findTarget(name);
}
