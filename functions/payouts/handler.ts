import { withHotWallets } from "../../shared/ledger/hot/with-hot-wallets.ts";
import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const payouts = () => import("./payouts.ts");
const mandates = () => withHotWallets(import("./mandates.ts"));
const pulls = () => withHotWallets(import("./pulls.ts"));
const changes = () => withHotWallets(import("./changes.ts"));

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/payouts.ts")).payoutRoutes, {
    "GET /payouts": async () => (await payouts()).listPayouts,
    "POST /payouts": async () => (await changes()).createPayout,
    "GET /payouts/{payoutId}": async () => (await payouts()).viewPayout,
    "GET /payouts/{payoutId}/events": async () => (await payouts()).listPayoutEvents,
    "POST /payouts/{payoutId}/cancel": async () => (await changes()).cancelPayout,
    "POST /payouts/{payoutId}/approve": async () => (await changes()).approvePayout,
    "POST /payouts/{payoutId}/decline": async () => (await changes()).declinePayout,
  }),
  routeGroup(async () => (await import("../../shared/contract/pulls.ts")).pullRoutes, {
    "POST /external-accounts/{externalAccountId}/mandates": async () => (await mandates()).createMandate,
    "GET /external-accounts/{externalAccountId}/mandates": async () => (await mandates()).listMandates,
    "GET /external-accounts/{externalAccountId}/mandates/{mandateId}": async () =>
      (await mandates()).viewMandate,
    "POST /external-accounts/{externalAccountId}/mandates/{mandateId}/cancel": async () =>
      (await mandates()).cancelMandate,
    "GET /pulls": async () => (await pulls()).listPulls,
    "POST /pulls": async () => (await pulls()).createPull,
    "GET /pulls/{pullId}": async () => (await pulls()).viewPull,
    "GET /pulls/{pullId}/events": async () => (await pulls()).listPullEvents,
    "POST /pulls/{pullId}/cancel": async () => (await pulls()).cancelPull,
  }),
);
