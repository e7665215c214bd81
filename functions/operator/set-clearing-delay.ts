import { updateSettings } from "../../shared/tenancy/programs/program-settings.ts";
import type { Command } from "./command.ts";
import { programOf } from "./program-of.ts";

/**
 * Sets how long a Program's bank deposits stay pending where the environment has a sandbox. Deposits that are pending
 * keep the time that they were given.
 *
 * @throws CommandRefused when there is no such Program
 */
export const setClearingDelay: Command<"set-clearing-delay"> = async ({ programId, seconds }, actor) => {
  const { tenantId } = await programOf(programId);
  await updateSettings(tenantId, programId, { clearingDelaySeconds: seconds }, actor);
  return { programId, seconds };
};
