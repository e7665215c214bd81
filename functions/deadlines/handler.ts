import type { Context } from "aws-lambda";
import { sweep } from "./sweep.ts";

/** Time that is left for the deadline under way when the sweep stops taking more. */
const reservedMs = 10_000;

/** Runs every minute: executes what is due until nothing is or the time is up; the next run carries on. */
export async function handler(_event: unknown, context: Context): Promise<void> {
  await sweep(() => context.getRemainingTimeInMillis() > reservedMs);
}
