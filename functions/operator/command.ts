import type { OperatorCommand, operatorCommands } from "../../shared/contract/operator.ts";
import type { Commands } from "../../shared/tenancy/administration/command-handler.ts";
import { CommandRefused } from "../../shared/tenancy/administration/command-refused.ts";
import { type Program, readProgram } from "../../shared/tenancy/programs/program.ts";

export type Command<C extends OperatorCommand> = Commands<typeof operatorCommands>[C];

/** @throws CommandRefused if the Program does not exist */
export async function programOf(programId: string): Promise<Program> {
  const program = await readProgram(programId);
  if (!program) throw new CommandRefused(`Program ${programId} does not exist.`);
  return program;
}
