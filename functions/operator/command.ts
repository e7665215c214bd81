import type { ApiError } from "../../shared/api-error.ts";
import type { OperatorCommand, OperatorInput, OperatorOutput } from "../../shared/contract/operator.ts";
import type { Actor } from "../../shared/tenant/audit.ts";

/**
 * One command's rule: takes a validated input and who gave the command (under the invocation's request id the caller's identity stands in the
 * account's audit trail), answers its output, throws `CommandRefused`.
 */
export type Command<C extends OperatorCommand> = (
  input: OperatorInput<C>,
  actor: Actor,
) => Promise<OperatorOutput<C>>;

/** The command was understood and refused; nothing was written. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
}

/** What the API would have answered with a code, as a refusal that names its faults. */
export function refusalOf({ code, message, faults }: ApiError): CommandRefused {
  const named = faults.map((fault) => `${fault.path.replace(/^body\./, "")}: ${fault.message}`);
  return new CommandRefused(named.length > 0 ? named.join("; ") : `${code}: ${message}`);
}
