import type { StoredItem } from "../../platform/table/transact.ts";

/**
 * Why a deposit was refused, from the refusals of its commit: the account or the deposit to settle does not exist, or
 * the status of one of them does not permit it.
 */
export function depositRefusal(
  failedConditions: ReadonlyMap<string, StoredItem>,
): "NOT_FOUND" | "ILLEGAL_TRANSITION" {
  const missing = ["account", "deposit"].some(
    (name) => failedConditions.has(name) && failedConditions.get(name) === undefined,
  );
  return missing ? "NOT_FOUND" : "ILLEGAL_TRANSITION";
}
