import type { AuthorityCommand, authorityCommands } from "../../shared/contract/authority.ts";
import type { Commands } from "../../shared/tenancy/administration/command-handler.ts";

export type Command<C extends AuthorityCommand> = Commands<typeof authorityCommands>[C];
