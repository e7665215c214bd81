import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const listeners = () => import("./listeners.ts");

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/otp.ts")).otpRoutes, {
    "POST /otp/listeners": async () => (await listeners()).subscribe,
    "GET /otp/listeners": async () => (await listeners()).listListeners,
    "DELETE /otp/listeners/{listenerId}": async () => (await listeners()).removeListener,
    "GET /otp/{token}": async () => (await listeners()).retrieveOtp,
    "GET /otp/challenges/{token}": async () => (await listeners()).listChallenges,
    "DELETE /otp/{token}": async () => (await listeners()).unsubscribe,
  }),
);
