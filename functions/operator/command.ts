import type { OperatorCommand, operatorCommands } from "../../shared/contract/operator.ts";
import type { Commands } from "../../shared/tenancy/administration/command-handler.ts";

/** One command's rule. */
export type Command<C extends OperatorCommand> = Commands<typeof operatorCommands>[C];
