import type { disputeRoutes } from "../../shared/contract/disputes.ts";
import type { evidenceRoutes } from "../../shared/contract/evidence.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

export type DisputeOperations = Operations<(typeof disputeRoutes | typeof evidenceRoutes)[number]>;
