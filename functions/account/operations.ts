import type { accountRoutes } from "../../shared/contract/routes.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** The type of each of this function's operations, by its route. */
export type AccountOperations = Operations<(typeof accountRoutes)[number]>;
