import type { OperatorCommand, OperatorInput, OperatorOutput } from "../../shared/contract/operator.ts";

/** Who gave a command and when; every item that it writes says so. */
export interface Audit {
  /** ISO 8601 UTC. */
  readonly at: string;
  /** `operator:` and the invocation's request id, under which the caller's identity stands in the account's audit trail. */
  readonly by: string;
}

/** One command's rule: takes a validated input, answers its output, throws `CommandRefused`. */
export type Command<C extends OperatorCommand> = (
  input: OperatorInput<C>,
  audit: Audit,
) => Promise<OperatorOutput<C>>;

/** The command was understood and refused; nothing was written. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
}
