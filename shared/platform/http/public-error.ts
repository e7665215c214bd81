import { log } from "../log.ts";
import { ContendedError } from "../table/retry.ts";
import { ApiError } from "./api-error.ts";

/** Failures of the store, and of the way to it, that pass by themselves; the caller may retry. */
const transientErrors = new Set([
  "ThrottlingException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "TooManyRequestsException",
  "TransactionConflictException",
  "TimeoutError",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
]);

/** What the caller may know of an error. The cause of anything unexpected goes to the log alone. */
export function publicError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ContendedError) {
    log.warn("transaction contended", { actions: error.actions });
    const keyContended = error.actions.includes("idempotency");
    return new ApiError(keyContended ? "IDEMPOTENCY_IN_PROGRESS" : "UNAVAILABLE");
  }
  if (error instanceof Error && isTransient(error)) {
    log.warn("store unavailable", { error });
    return new ApiError("UNAVAILABLE");
  }
  log.error("unexpected error", { error });
  return new ApiError("INTERNAL");
}

function isTransient(error: Error & { readonly code?: unknown; readonly $fault?: unknown }): boolean {
  return (
    error.$fault === "server" || transientErrors.has(error.name) || transientErrors.has(String(error.code))
  );
}
