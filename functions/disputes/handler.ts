import { withHotWallets } from "../../shared/ledger/hot/with-hot-wallets.ts";
import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const disputes = () => import("./disputes.ts");
const changes = () => withHotWallets(import("./changes.ts"));
const evidence = () => import("./evidence.ts");

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/disputes.ts")).disputeRoutes, {
    "POST /disputes": async () => (await changes()).createDispute,
    "GET /disputes": async () => (await disputes()).listDisputes,
    "GET /disputes/{disputeId}": async () => (await disputes()).viewDispute,
    "PUT /disputes/{disputeId}": async () => (await changes()).changeDispute,
    "POST /disputes/{disputeId}/submit": async () => (await changes()).submitDispute,
    "POST /disputes/{disputeId}/escalate": async () => (await changes()).escalateDispute,
    "POST /disputes/{disputeId}/write-off": async () => (await changes()).writeOffDispute,
    "POST /disputes/{disputeId}/withdraw": async () => (await changes()).withdrawDispute,
    "GET /disputes/{disputeId}/events": async () => (await disputes()).listDisputeEvents,
  }),
  routeGroup(async () => (await import("../../shared/contract/evidence.ts")).evidenceRoutes, {
    "POST /disputes/{disputeId}/evidence": async () => (await evidence()).addEvidence,
    "GET /disputes/{disputeId}/evidence": async () => (await evidence()).listEvidence,
    "GET /disputes/{disputeId}/evidence/{evidenceId}": async () => (await evidence()).viewEvidence,
  }),
);
