import * as z from "zod";
import { routesWith } from "./route.ts";
import { SandboxTokenResponse, TokenDevice, TokenRisk } from "./tokens.ts";
import {
  ApplePayload,
  GooglePayload,
  PushProvisioning,
  SandboxWallet,
  WalletPayload,
} from "./wallet-payloads.ts";

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

export const SandboxProvision = z.object({
  /** What a push provisioning answered: the wallet opens it, and asks for a token. */
  payload: PushProvisioned.check(({ value, issues }) => {
    if (WalletPayload.safeParse(value).success) return;
    const message = "must be all that a push provisioning answered";
    issues.push({ code: "custom", input: value, message });
  }),
  device: TokenDevice.optional(),
  /** How sure the wallet is of who adds the Card. */
  risk: TokenRisk.optional(),
});

const sandbox = routesWith({ api: "sandbox", function: "sandbox" });

export const walletSandboxRoutes = [
  sandbox(
    "GET /wallets/certificates",
    "read viewSandboxWallet",
    "View what the sandbox's wallet gives an app in Apple's place",
    { data: SandboxWallet },
  ),
  sandbox("POST /wallets/provision", "write provisionToken", "Add a pushed Card to the sandbox's wallet", {
    body: SandboxProvision,
    data: SandboxTokenResponse,
    errors: ["ILLEGAL_TRANSITION"],
  }),
] as const;
