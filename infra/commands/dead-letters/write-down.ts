import type * as z from "zod";
import type { operatorCommands } from "../../../shared/contract/operator.ts";

type Commands = Pick<typeof operatorCommands, "record-discard" | "record-redrive">;

/** Records in the audit log what is about to be done, and who does it. */
export type WriteDown = <C extends keyof Commands>(
  command: C,
  input: z.input<Commands[C]["input"]>,
) => Promise<unknown>;
