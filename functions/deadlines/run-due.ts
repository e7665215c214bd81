import type { Context } from "aws-lambda";
import { nextDueAt } from "../../shared/platform/deadlines/next-due-at.ts";
import { sweep } from "./sweep.ts";

/** Time that is left for the deadline under way when the sweep stops taking more. */
const reservedMs = 10_000;

/**
 * Runs every minute: executes what is due until nothing is or the time is up; the next run carries on. The answer says when there
 * will be something to do again, for a clock that is moved on and need not stop at every minute.
 */
export async function runDue(_event: unknown, context: Context): Promise<{ nextDueAt: string | null }> {
  await sweep(() => context.getRemainingTimeInMillis() > reservedMs);
  return { nextDueAt: await nextDueAt() };
}
