import * as z from "zod";
import { routesWith } from "./route.ts";
import { ApplePayload, GooglePayload, PushProvisioning, SandboxWallet } from "./wallet-payloads.ts";

/** `encryptedPassData`, `activationData` and `ephemeralPublicKey`, or `opaquePaymentCard`. */
export const PushProvisioned = z.object({
  ...ApplePayload.partial().shape,
  ...GooglePayload.partial().shape,
});

export const pushProvisioningRoutes = [
  routesWith({ api: "platform", function: "cards" })(
    "POST /cards/{cardId}/push-provisioning",
    "reveal pushProvision",
    "Encrypt a Card for a phone's wallet",
    {
      body: PushProvisioning,
      data: PushProvisioned,
      errors: ["ILLEGAL_TRANSITION", "CARD_BLOCKED", "RATE_LIMITED"],
    },
  ),
] as const;

const sandbox = routesWith({ api: "sandbox", function: "sandbox" });

export const walletSandboxRoutes = [
  sandbox(
    "GET /wallets/certificates",
    "read viewSandboxWallet",
    "View what the sandbox's wallet gives an app in Apple's place",
    { data: SandboxWallet },
  ),
] as const;
