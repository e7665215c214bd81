import type { cardholderRoutes } from "../../shared/contract/cardholders.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** The type of each of this function's operations, by its route. */
export type CardholderOperations = Operations<(typeof cardholderRoutes)[number]>;
