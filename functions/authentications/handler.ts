import { withHotWallets } from "../../shared/ledger/hot/with-hot-wallets.ts";
import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const authentications = () => import("./authentications.ts");
const rules = () => import("./rules.ts");

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/authentications.ts")).authenticationRoutes, {
    "GET /authentications": async () => (await authentications()).listAuthentications,
    "GET /authentications/{authenticationId}": async () => (await authentications()).viewAuthentication,
    "GET /authentications/{authenticationId}/decision": async () =>
      (await authentications()).viewAuthenticationDecision,
    "POST /authentications/{authenticationId}/outcome": async () =>
      (await withHotWallets(import("./outcome.ts"))).decideAuthentication,
    "GET /authentication-rules": async () => (await rules()).viewAuthenticationRules,
    "PUT /authentication-rules": async () => (await rules()).putAuthenticationRules,
  }),
);
