import type { OperatorCommand, operatorCommands } from "../../shared/contract/operator.ts";
import type { Commands } from "../../shared/tenancy/administration/command-handler.ts";
import { CommandRejected } from "../../shared/tenancy/administration/command-rejected.ts";
import { type Program, readProgram } from "../../shared/tenancy/programs/program.ts";

export type Command<C extends OperatorCommand> = Commands<typeof operatorCommands>[C];

/** @throws CommandRejected if the Program does not exist */
export async function requireProgram(programId: string): Promise<Program> {
  const program = await readProgram(programId);
  if (!program) throw new CommandRejected(`Program ${programId} does not exist.`);
  return program;
}
