import type { Commands } from "../../shared/administration/command-handler.ts";
import type { OperatorCommand, operatorCommands } from "../../shared/contract/operator.ts";

/** One command's rule. */
export type Command<C extends OperatorCommand> = Commands<typeof operatorCommands>[C];
