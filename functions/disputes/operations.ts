import type { disputeRoutes } from "../../shared/contract/disputes.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

export type DisputeOperations = Operations<(typeof disputeRoutes)[number]>;
