import type { TransactionOutcome } from "../../shared/table/transact.ts";
import { CommandRefused } from "./command.ts";

/**
 * Refuses the command when something that it depends on is not there.
 *
 * @throws CommandRefused naming what is missing.
 */
export function requireCommitted(outcome: TransactionOutcome): void {
  if (outcome.committed) return;
  throw new CommandRefused(`${[...outcome.refusals.keys()].join(", ")} does not exist.`);
}
