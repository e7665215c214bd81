import type { accountCertificateRoutes } from "../../shared/contract/account-access.ts";
import type { AuthorityCommand, authorityCommands } from "../../shared/contract/authority.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import type { Commands } from "../../shared/tenancy/administration/command-handler.ts";

/** Each operation's type by its route. */
export type CertificateOperations = Operations<(typeof accountCertificateRoutes)[number]>;

export type Command<C extends AuthorityCommand> = Commands<typeof authorityCommands>[C];
