import type { WalletPayload } from "../../../shared/contract/wallet-payloads.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { absent } from "../../../shared/platform/table/condition.ts";
import { findCard } from "../card-number.ts";
import type { Command } from "../command.ts";
import { walletPayloads } from "../items.ts";
import { openOpaqueCard } from "./opaque-card.ts";
import { openPassData } from "./pass-data.ts";
import { hashActivation } from "./provision.ts";
import { sandboxKeys } from "./sandbox-wallet.ts";

/** As the wallet, its network and the platform together would: of two at once, one uses it. */
export const openPayload: Command<"open-payload"> = async ({ programId, payload }) => {
  const opened = await read(payload);
  if (typeof opened === "string") return { outcome: opened };
  const item = walletPayloads.at(hashActivation(opened.activationData));
  const [made, card] = await Promise.all([item.get(), findCard(opened.cardNumber)]);
  const isOfProgram = made?.programId === programId && made.cardId === card?.cardId;
  if (!isOfProgram || made.wallet !== opened.wallet) return { outcome: "unreadable" };
  if (made.usedAt !== undefined) return { outcome: "used" };
  const usedAt = timestamp();
  if (usedAt > made.goodUntil) return { outcome: "expired" };
  if (!(await item.updateNow({ set: { usedAt } }, { usedAt: absent })).updated) return { outcome: "used" };
  const { cardId, wallet } = made;
  return { outcome: "opened", programId, cardId, wallet };
};

async function read(payload: WalletPayload) {
  const keys = await sandboxKeys();
  if ("opaquePaymentCard" in payload) {
    const opened = await openOpaqueCard(keys.google, payload.opaquePaymentCard);
    if (opened === undefined) return "unreadable";
    const { accountNumber: cardNumber, activationData } = opened;
    return { wallet: "google_pay", cardNumber, activationData } as const;
  }
  const opened = openPassData(keys.apple, payload);
  if (opened === undefined) return "unreadable";
  const { primaryAccountNumber: cardNumber, nonce, nonceSignature } = opened;
  if (!keys.isNonce(nonce, nonceSignature)) return "nonce-unknown";
  return { wallet: "apple_pay", cardNumber, activationData: payload.activationData } as const;
}
