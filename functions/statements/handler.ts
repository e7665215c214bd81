import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const statements = () => import("./statements.ts");

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/statements.ts")).statementRoutes, {
    "GET /cards/{cardId}/statements": async () => (await statements()).listCardMonths,
    "GET /cards/{cardId}/statements/{period}": async () => (await statements()).viewCardStatement,
    "GET /wallets/{walletId}/statements": async () => (await statements()).listWalletMonths,
    "GET /wallets/{walletId}/statements/{period}": async () => (await statements()).viewWalletStatement,
  }),
);
