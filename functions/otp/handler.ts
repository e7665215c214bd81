import { apiHandler, endpoints } from "../../shared/platform/http/api-handler.ts";

export const handler = apiHandler(
  endpoints(async () => (await import("../../shared/contract/otp.ts")).otpRoutes, {
    "POST /otp/listeners": async () => (await import("./listeners.ts")).subscribe,
    "GET /otp/listeners": async () => (await import("./listeners.ts")).listListeners,
    "DELETE /otp/listeners/{listenerId}": async () => (await import("./listeners.ts")).removeListener,
    "GET /otp/{token}": async () => (await import("./retrieve-otp.ts")).retrieveOtp,
    "DELETE /otp/{token}": async () => (await import("./listeners.ts")).unsubscribe,
  }),
);
