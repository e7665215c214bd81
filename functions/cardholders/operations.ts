import type { cardholderRoutes } from "../../shared/contract/cardholders.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

export type CardholderOperations = Operations<(typeof cardholderRoutes)[number]>;
