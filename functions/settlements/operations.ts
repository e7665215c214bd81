import type { settlementRoutes } from "../../shared/contract/settlements.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

export type SettlementOperations = Operations<(typeof settlementRoutes)[number]>;
