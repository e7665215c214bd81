import { log } from "../log.ts";
import { ContendedError } from "../table/retry.ts";
import { ApiError } from "./api-error.ts";

/** Temporary failures of the store or the network. The caller can retry. */
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

/** The caller's answer for an error. The cause of an unexpected error goes only to the log. */
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
