import type { accountRoutes } from "../../shared/contract/routes.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** Each operation's type by its route. */
export type AccountOperations = Operations<(typeof accountRoutes)[number]>;
