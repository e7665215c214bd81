import { withHotWallets } from "../../shared/ledger/hot/with-hot-wallets.ts";
import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const tokens = () => import("./tokens.ts");
const changes = () => withHotWallets(import("./changes.ts"));

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/tokens.ts")).tokenRoutes, {
    "GET /tokens": async () => (await tokens()).listTokens,
    "GET /tokens/{tokenId}": async () => (await tokens()).viewToken,
    "GET /tokens/{tokenId}/events": async () => (await tokens()).listTokenEvents,
    "GET /tokens/{tokenId}/decision": async () => (await tokens()).viewTokenDecision,
    "POST /tokens/{tokenId}/suspend": async () => (await changes()).suspendToken,
    "POST /tokens/{tokenId}/resume": async () => (await changes()).resumeToken,
    "POST /tokens/{tokenId}/verify": async () => (await changes()).verifyToken,
    "DELETE /tokens/{tokenId}": async () => (await changes()).deleteToken,
    "GET /token-rules": async () => (await tokens()).viewTokenRules,
    "PUT /token-rules": async () => (await tokens()).putTokenRules,
  }),
);
