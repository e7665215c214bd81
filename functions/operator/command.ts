import type { OperatorCommand, operatorCommands } from "../../shared/contract/operator.ts";
import type { Commands } from "../../shared/tenancy/administration/command-handler.ts";
import { CommandRefused } from "../../shared/tenancy/administration/command-refused.ts";
import { type Program, readProgram } from "../../shared/tenancy/programs/program.ts";

/** One command's rule. */
export type Command<C extends OperatorCommand> = Commands<typeof operatorCommands>[C];

/**
 * The Program that a command names.
 *
 * @throws CommandRefused when there is none
 */
export async function programOf(programId: string): Promise<Program> {
  const program = await readProgram(programId);
  if (!program) throw new CommandRefused(`Program ${programId} does not exist.`);
  return program;
}
