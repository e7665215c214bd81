import { cardholderRoutes } from "../../shared/contract/cardholders.ts";
import { apiHandler } from "../../shared/http/api-handler.ts";
import { createCardholder } from "./create-cardholder.ts";
import { deleteCardholder } from "./delete-cardholder.ts";
import { listCardholders } from "./list-cardholders.ts";
import { registerWalletAddress } from "./register-wallet-address.ts";
import { submitCardholder } from "./submit-cardholder.ts";
import { updateCardholder } from "./update-cardholder.ts";
import { viewCardholder } from "./view-cardholder.ts";

export const handler = apiHandler(cardholderRoutes, {
  "GET /cardholders": listCardholders,
  "POST /cardholders": createCardholder,
  "GET /cardholders/{cardholderId}": viewCardholder,
  "PUT /cardholders/{cardholderId}": updateCardholder,
  "DELETE /cardholders/{cardholderId}": deleteCardholder,
  "POST /cardholders/{cardholderId}/submit": submitCardholder,
  "POST /cardholders/{cardholderId}/register-wallet-address": registerWalletAddress,
});
