import type { ApiError } from "../../platform/http/api-error.ts";
import type { TransactionOutcome } from "../../platform/table/transact.ts";

/** The command was understood and refused; nothing was written. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
}

/** What the API would have answered with a code, as a refusal that names its faults. */
export function refusalOf({ code, message, faults }: ApiError): CommandRefused {
  const named = faults.map((fault) => `${fault.path.replace(/^body\./, "")}: ${fault.message}`);
  return new CommandRefused(named.length > 0 ? named.join("; ") : `${code}: ${message}`);
}

/** @throws CommandRefused naming what does not exist */
export function requireCommitted(outcome: TransactionOutcome): void {
  if (outcome.committed) return;
  throw new CommandRefused(`${[...outcome.failedConditions.keys()].join(", ")} does not exist.`);
}
