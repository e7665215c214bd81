import { withHotWallets } from "../../shared/ledger/hot/with-hot-wallets.ts";
import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const payouts = () => import("./payouts.ts");
const changes = () => withHotWallets(import("./changes.ts"));

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/payouts.ts")).payoutRoutes, {
    "GET /payouts": async () => (await payouts()).listPayouts,
    "POST /payouts": async () => (await withHotWallets(import("./create-payout.ts"))).createPayout,
    "GET /payouts/{payoutId}": async () => (await payouts()).viewPayout,
    "GET /payouts/{payoutId}/events": async () => (await payouts()).listPayoutEvents,
    "POST /payouts/{payoutId}/cancel": async () => (await changes()).cancelPayout,
    "POST /payouts/{payoutId}/approve": async () => (await changes()).approvePayout,
    "POST /payouts/{payoutId}/decline": async () => (await changes()).declinePayout,
  }),
);
