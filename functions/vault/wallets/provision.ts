import { createHash } from "node:crypto";
import type { VaultCard } from "../../../shared/contract/vault.ts";
import type { WalletPayload, WalletRequest } from "../../../shared/contract/wallet-payloads.ts";
import { now, timestamp, unixSeconds } from "../../../shared/platform/clock.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { randomToken } from "../../../shared/platform/id.ts";
import { requireNumber } from "../card-number.ts";
import type { Command } from "../command.ts";
import { walletPayloads } from "../items.ts";
import { countReveal } from "../reveal.ts";
import { trustedKey } from "./certificate-chain.ts";
import { sealOpaqueCard } from "./opaque-card.ts";
import { sealPassData } from "./pass-data.ts";
import { sandboxSettings } from "./sandbox-wallet.ts";
import { WalletSettings } from "./settings.ts";

const goodMs = 10 * 60_000;
/** So long it is known that a payload was used, or is too old. */
const keptMs = 24 * 3_600_000;

/** It counts as given before anything is encrypted: no failure gives more than were counted. */
export const provision: Command<"provision"> = async ({ request, nameOnCard, ...card }) => {
  const made = await toRecipient(request);
  if (typeof made === "object") return made;
  const { cardNumber } = await requireNumber(card);
  const activationData = Buffer.from(randomToken(32), "base64url").toString("base64");
  const counted = await countReveal(card, makePayload(card, request.wallet, activationData));
  if (counted !== "counted") return { outcome: "limited" };
  const payload = await made({ ...card, cardNumber, nameOnCard, activationData });
  return { outcome: "provisioned", payload };
};

interface Sealed extends Pick<VaultCard, "expiryMonth" | "expiryYear"> {
  readonly cardNumber: string;
  readonly nameOnCard: string;
  readonly activationData: string;
}

/** Encrypts for the wallet that asks, if it is known. */
async function toRecipient(request: WalletRequest) {
  const given = WalletSettings.parse(environment.wallets);
  const { applePay, googlePay } = given.isSimulated ? await sandboxSettings() : given;
  if (request.wallet === "apple_pay") {
    if (applePay === undefined) return { outcome: "wallet-not-set-up" } as const;
    const key = await trustedKey(request.certificates, applePay, now());
    if (!Buffer.isBuffer(key)) return { outcome: "certificate-invalid", ...key } as const;
    return async (sealed: Sealed) => toApplePayload(key, request, sealed);
  }
  if (googlePay === undefined) return { outcome: "wallet-not-set-up" } as const;
  const { clientWalletAccountId: clientWalletAccountID, clientDeviceId: clientDeviceID } = request;
  return async ({ cardNumber, nameOnCard, activationData, ...expiry }: Sealed): Promise<WalletPayload> => {
    const opaquePaymentCard = await sealOpaqueCard(googlePay, {
      accountNumber: cardNumber,
      name: nameOnCard,
      expirationDate: { month: toMonth(expiry), year: String(expiry.expiryYear) },
      provider: { intent: "PUSH_PROV_MOBILE", clientWalletAccountID, clientDeviceID },
      activationData,
    });
    return { opaquePaymentCard };
  };
}

function toApplePayload(
  key: Buffer,
  { nonce, nonceSignature }: Extract<WalletRequest, { wallet: "apple_pay" }>,
  { cardNumber, nameOnCard, activationData, ...expiry }: Sealed,
): WalletPayload {
  const sealed = sealPassData(key, {
    primaryAccountNumber: cardNumber,
    expiration: `${toMonth(expiry)}/${String(expiry.expiryYear).slice(-2)}`,
    name: nameOnCard,
    nonce: nonce.toLowerCase(),
    nonceSignature: nonceSignature.toLowerCase(),
  });
  return { ...sealed, activationData };
}

function toMonth({ expiryMonth }: Pick<Sealed, "expiryMonth">): string {
  return String(expiryMonth).padStart(2, "0");
}

function makePayload(
  { programId, cardId }: VaultCard,
  wallet: WalletRequest["wallet"],
  activationData: string,
) {
  const at = now().getTime();
  return walletPayloads.at(hashActivation(activationData)).create({
    ...{ programId, cardId, wallet },
    goodUntil: timestamp(new Date(at + goodMs)),
    expiresAtSeconds: unixSeconds(new Date(at + keptMs)),
  });
}

export function hashActivation(activationData: string): string {
  return createHash("sha256").update(activationData).digest("base64url");
}
