import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/otp.ts")).otpRoutes, {
    "POST /otp/listeners": async () => (await import("./operations.ts")).subscribe,
    "GET /otp/listeners": async () => (await import("./operations.ts")).listListeners,
    "DELETE /otp/listeners/{listenerId}": async () => (await import("./operations.ts")).removeListener,
    "GET /otp/{token}": async () => (await import("./operations.ts")).retrieveOtp,
    "DELETE /otp/{token}": async () => (await import("./operations.ts")).unsubscribe,
  }),
);
