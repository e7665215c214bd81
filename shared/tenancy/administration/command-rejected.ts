import type { ApiError } from "../../platform/http/api-error.ts";
import type { TransactionOutcome } from "../../platform/table/transact.ts";

/** A valid command that was rejected. Nothing was written. */
export class CommandRejected extends Error {
  override readonly name = "CommandRejected";
}

/** An API error as a rejection whose message lists the faults. */
export function toCommandRejected({ code, message, faults }: ApiError): CommandRejected {
  const named = faults.map((fault) => `${fault.path.replace(/^body\./, "")}: ${fault.message}`);
  return new CommandRejected(named.length > 0 ? named.join("; ") : `${code}: ${message}`);
}

/** @throws CommandRejected naming what does not exist */
export function requireCommitted(outcome: TransactionOutcome): void {
  if (outcome.committed) return;
  throw new CommandRejected(`${[...outcome.failedConditions.keys()].join(", ")} does not exist.`);
}
