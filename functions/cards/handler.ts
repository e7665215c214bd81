import { withHotWallets } from "../../shared/ledger/hot/with-hot-wallets.ts";
import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const cards = () => import("./cards.ts");
const issuing = () => withHotWallets(import("../../shared/issuing/issue-card.ts"));
const status = () => import("./status.ts");
const deposits = () => withHotWallets(import("./deposits.ts"));
const cardData = () => import("./card-data.ts");
const authorizations = () => import("./authorizations.ts");
const funding = () => withHotWallets(import("./funding.ts"));
const plastics = () => withHotWallets(import("./plastics.ts"));
const topUps = () => import("./top-ups.ts");
const transactions = () => import("./transactions.ts");
const few = () => import("./few-transactions.ts");
const statement = () => withHotWallets(import("./statement.ts"));

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/cards.ts")).cardRoutes, {
    "GET /cards": async () => (await cards()).listCards,
    "POST /cards": async () => (await issuing()).issueCard,
    "GET /cards/{cardId}": async () => (await cards()).viewCard,
    "PUT /cards/{cardId}": async () => (await cards()).updateCard,
    "GET /cards/{cardId}/status": async () => (await cards()).viewStatus,
    "PUT /cards/{cardId}/status": async () => (await status()).changeStatus,
    "POST /cards/{cardId}/activate": async () => (await status()).activateCard,
    "POST /cards/{cardId}/close": async () => (await withHotWallets(import("./close-card.ts"))).closeCard,
    "POST /cards/{cardId}/unload": async () => (await withHotWallets(import("./unload-card.ts"))).unloadCard,
    "GET /cards/{cardId}/balance": async () => (await funding()).viewBalance,
    "POST /cards/{cardId}/bank-deposit": async () => (await deposits()).depositOnCard,
    "POST /cards/{cardId}/deposit": async () => (await deposits()).notifyDeposit,
  }),
  routeGroup(async () => (await import("../../shared/contract/funding.ts")).fundingRoutes, {
    "GET /cards/{cardId}/funding": async () => (await funding()).viewFunding,
    "PUT /cards/{cardId}/funding": async () => (await funding()).putFunding,
  }),
  routeGroup(async () => (await import("../../shared/contract/plastics.ts")).plasticRoutes, {
    "GET /cards/{cardId}/plastics": async () => (await plastics()).listPlastics,
    "POST /cards/{cardId}/replace": async () => (await plastics()).replaceCard,
    "POST /cards/{cardId}/renew": async () => (await plastics()).renewCard,
  }),
  routeGroup(async () => (await import("../../shared/contract/top-ups.ts")).topUpRoutes, {
    "PUT /cards/{cardId}/top-up": async () => (await topUps()).putTopUp,
    "GET /cards/{cardId}/top-up": async () => (await topUps()).viewTopUp,
    "DELETE /cards/{cardId}/top-up": async () => (await topUps()).deleteTopUp,
  }),
  routeGroup(async () => (await import("../../shared/contract/account-updates.ts")).accountUpdateRoutes, {
    "GET /account-updates": async () => (await import("./account-updates.ts")).listAccountUpdates,
  }),
  routeGroup(async () => (await import("../../shared/contract/card-data.ts")).cardDataRoutes, {
    "POST /cards/{cardId}/reveal": async () => (await cardData()).revealCard,
    "PUT /cards/{cardId}/pin": async () => (await cardData()).setPin,
    "GET /vault/key": async () => (await cardData()).viewVaultKey,
  }),
  routeGroup(
    async () => (await import("../../shared/contract/push-provisioning.ts")).pushProvisioningRoutes,
    {
      "POST /cards/{cardId}/push-provisioning": async () =>
        (await import("./push-provisioning.ts")).pushProvision,
    },
  ),
  routeGroup(async () => (await import("../../shared/contract/transactions.ts")).transactionRoutes, {
    "GET /cards/transactions": async () => (await transactions()).listTransactions((await few()).sources),
    "GET /cards/fees": async () => (await statement()).listFees,
    "GET /cards/{cardId}/balance/proof": async () => (await statement()).proveBalance,
    "GET /cards/{cardId}/hold-matching": async () => (await import("./match-holds.ts")).matchCardHolds,
  }),
  routeGroup(async () => (await import("../../shared/contract/authorizations.ts")).authorizationRoutes, {
    "GET /authorizations": async () => (await authorizations()).listAuthorizations,
    "GET /authorizations/{authorizationId}": async () => (await authorizations()).viewAuthorization,
    "GET /authorizations/{authorizationId}/events": async () =>
      (await authorizations()).listAuthorizationEvents,
  }),
);
