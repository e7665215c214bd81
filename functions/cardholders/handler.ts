import { apiHandler, endpoints } from "../../shared/platform/http/api-handler.ts";

export const handler = apiHandler(
  endpoints(async () => (await import("../../shared/contract/cardholders.ts")).cardholderRoutes, {
    "GET /cardholders": async () => (await import("./list-cardholders.ts")).listCardholders,
    "POST /cardholders": async () => (await import("./create-cardholder.ts")).createCardholder,
    "GET /cardholders/{cardholderId}": async () => (await import("./view-cardholder.ts")).viewCardholder,
    "PUT /cardholders/{cardholderId}": async () => (await import("./update-cardholder.ts")).updateCardholder,
    "DELETE /cardholders/{cardholderId}": async () =>
      (await import("./delete-cardholder.ts")).deleteCardholder,
    "POST /cardholders/{cardholderId}/submit": async () =>
      (await import("./submit-cardholder.ts")).submitCardholder,
    "POST /cardholders/{cardholderId}/register-wallet-address": async () =>
      (await import("./register-wallet-address.ts")).registerWalletAddress,
  }),
);
