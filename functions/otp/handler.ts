import { otpRoutes } from "../../shared/contract/otp.ts";
import { apiHandler } from "../../shared/http/api-handler.ts";
import { retrieveOtp } from "./retrieve-otp.ts";
import { subscribe } from "./subscribe.ts";
import { unsubscribe } from "./unsubscribe.ts";

export const handler = apiHandler(otpRoutes, {
  "POST /otp/listeners": subscribe,
  "GET /otp/{token}": retrieveOtp,
  "DELETE /otp/{token}": unsubscribe,
});
