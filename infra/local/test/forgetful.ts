import type { UsageKey } from "../endpoint/usage-plans.ts";
import type { StateFile } from "../files.ts";

/** Keeps no keys. */
export const forgetful: StateFile<UsageKey[]> = { read: (initial) => initial, write: () => {} };
