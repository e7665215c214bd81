import { CommandRefused } from "../../shared/tenancy/administration/command-refused.ts";
import { type Program, readProgram } from "../../shared/tenancy/programs/program.ts";

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
