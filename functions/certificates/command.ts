import type { Commands } from "../../shared/administration/command-handler.ts";
import type { AuthorityCommand, authorityCommands } from "../../shared/contract/authority.ts";

/** One command's rule. */
export type Command<C extends AuthorityCommand> = Commands<typeof authorityCommands>[C];
