import { withHotWallets } from "../../shared/ledger/hot/with-hot-wallets.ts";
import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const controls = () => import("./controls.ts");
const changes = () => import("./changes.ts");
const endpoint = () => import("./authorization-endpoint.ts");
const simulations = () => withHotWallets(import("./simulations.ts"));

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/controls.ts")).controlRoutes, {
    "POST /controls": async () => (await changes()).createControl,
    "GET /controls": async () => (await controls()).listControls,
    "GET /controls/{controlId}": async () => (await controls()).viewControl,
    "PUT /controls/{controlId}": async () => (await changes()).replaceControl,
    "DELETE /controls/{controlId}": async () => (await changes()).deleteControl,
    "GET /controls/{controlId}/usage": async () => (await import("./usage.ts")).viewUsage,
    "GET /controls/{controlId}/transactions": async () => (await import("./usage.ts")).listCounted,
    "POST /controls/{controlId}/activate": async () => (await changes()).activateControl,
  }),
  routeGroup(
    async () => (await import("../../shared/contract/authorization-endpoint.ts")).authorizationEndpointRoutes,
    {
      "PUT /authorization-endpoint": async () => (await endpoint()).putAuthorizationEndpoint,
      "GET /authorization-endpoint": async () => (await endpoint()).viewAuthorizationEndpoint,
      "POST /authorization-endpoint/rotate-secret": async () => (await endpoint()).rotateAuthorizationSecret,
      "POST /authorization-endpoint/ping": async () => (await endpoint()).pingAuthorizationEndpoint,
      "DELETE /authorization-endpoint": async () => (await endpoint()).deleteAuthorizationEndpoint,
      "GET /authorizations/{authorizationId}/decision": async () =>
        (await withHotWallets(import("./decision.ts"))).viewDecision,
    },
  ),
  routeGroup(async () => (await import("../../shared/contract/simulations.ts")).simulationRoutes, {
    "POST /controls/{controlId}/simulate": async () => (await simulations()).simulateControl,
    "GET /simulations/{simulationId}": async () => (await simulations()).viewSimulation,
  }),
);
