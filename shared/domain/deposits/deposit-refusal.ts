import type { StoredItem } from "../../platform/table/transact.ts";

/** The account or deposit does not exist, or its status does not permit the change. */
export function depositRefusal(
  failedConditions: ReadonlyMap<string, StoredItem>,
): "NOT_FOUND" | "ILLEGAL_TRANSITION" {
  const missing = ["account", "deposit"].some(
    (name) => failedConditions.has(name) && failedConditions.get(name) === undefined,
  );
  return missing ? "NOT_FOUND" : "ILLEGAL_TRANSITION";
}
