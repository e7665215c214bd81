import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const cardholders = () => import("./cardholders.ts");
const details = () => import("./details.ts");
const status = () => import("./status.ts");

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/cardholders.ts")).cardholderRoutes, {
    "GET /cardholders": async () => (await cardholders()).listCardholders,
    "POST /cardholders": async () =>
      (await import("../../shared/issuing/create-cardholder.ts")).createCardholder,
    "GET /cardholders/{cardholderId}": async () => (await cardholders()).viewCardholder,
    "PUT /cardholders/{cardholderId}": async () => (await details()).updateCardholder,
    "DELETE /cardholders/{cardholderId}": async () => (await status()).deleteCardholder,
    "POST /cardholders/{cardholderId}/submit": async () => (await status()).submitCardholder,
    "POST /cardholders/{cardholderId}/register-wallet-address": async () =>
      (await cardholders()).registerWalletAddress,
  }),
);
