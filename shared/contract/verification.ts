import * as z from "zod";
import { id, text } from "./primitives.ts";

/** What a check came to. `not_checked`: it was sent, and compared with nothing. */
export const CheckResult = z.enum(["match", "mismatch", "not_checked", "not_present"]);
export type CheckResult = z.output<typeof CheckResult>;

/**
 * How the payer was authenticated (3-D Secure). Only the first two shift the liability. `failed`:
 * rejected, not ended, or proved wrongly. `reused`: another authorization had it.
 */
export const ThreeDSResult = z.enum([
  "authenticated",
  "attempted",
  "exempted",
  "failed",
  "reused",
  "amount_exceeded",
  "other_merchant",
  "expired",
  "not_present",
]);
export type ThreeDSResult = z.output<typeof ThreeDSResult>;

/** What the terminal can read; `ecommerce` is a shop without one. */
export const EntryCapability = z.enum(["chip", "contactless", "magstripe", "keyed", "ecommerce", "unknown"]);
export type EntryCapability = z.output<typeof EntryCapability>;

/**
 * How the merchant uses a card that it keeps. `initial`: it begins to. `unscheduled`: the merchant
 * charges it when it has to. `cardholder`: the payer chooses it in the shop.
 */
export const StoredCredential = z.enum(["initial", "recurring", "installment", "unscheduled", "cardholder"]);
export type StoredCredential = z.output<typeof StoredCredential>;

/** Who keeps the token of a card: a wallet of a device, or a merchant who has it on file. */
export const TokenWallet = z.enum(["apple_pay", "google_pay", "samsung_pay", "merchant", "other"]);
export type TokenWallet = z.output<typeof TokenWallet>;

/** What the merchant asked the payer for. It is compared, and not kept. */
export const BillingAddress = z.object({
  line1: text(100).optional(),
  postalCode: text(20).optional(),
  /** `line1` is the number of the house alone, of which five digits count. */
  isHouseNumber: z.boolean().optional(),
});
export type BillingAddress = z.output<typeof BillingAddress>;

const result = CheckResult.optional();

/** What another than the platform found, where the platform found something else. */
export const NetworkResults = z.object({ addressLine: result, postalCode: result, cvc: result });
export type NetworkResults = z.output<typeof NetworkResults>;

/** The network's id of the terminal. */
export const terminalId = text(16).optional();
export const entryCapability = EntryCapability.optional();
export const storedCredential = StoredCredential.optional();

/** What the sender of a purchase says of it. What it does not say is absent. */
export const SentVerification = z.object({
  addressLine: result,
  postalCode: result,
  /** The security code. */
  cvc: result,
  expiry: result,
  pin: result,
  threeDS: ThreeDSResult.optional(),
  entryCapability,
  terminalId,
  wallet: TokenWallet.optional(),
  /** Default: whether `entryMode` or `storedCredential` is `recurring`. */
  recurring: z.boolean().optional(),
  storedCredential,
  network: NetworkResults.optional(),
});
export type SentVerification = z.output<typeof SentVerification>;

/** What a purchase names of the Card beside it. */
export const presentedIds = {
  /** The number with its expiry that was used. Default: the active one, or else the newest. */
  plasticId: id("plastic").optional(),
  /** The digital wallet's token in place of the number. */
  tokenId: id("token").optional(),
  /** The 3-D Secure authentication that the payer made for it. */
  authenticationId: id("authentication").optional(),
};

/** What senders of purchases name and say. */
export const presentedFields = { ...presentedIds, verification: SentVerification.optional() };

/** It is compared with the Cardholder's. */
export const billingAddress = BillingAddress.optional();

/** Both, the line alone, the postal code alone, none; `U`: there was nothing to compare. */
export const AvsCode = z.enum(["Y", "A", "Z", "N", "U"]);
export type AvsCode = z.output<typeof AvsCode>;

/** How the card, its user and the terminal were verified. The platform's results count. */
export const VerificationView = z.object({
  /** Whether the line that the merchant sent is the first one of the Cardholder's address. */
  addressLine: CheckResult,
  /** Whether the postal code that the merchant sent is the Cardholder's. */
  postalCode: CheckResult,
  avs: AvsCode,
  cvc: CheckResult,
  expiry: CheckResult,
  pin: CheckResult,
  threeDS: ThreeDSResult,
  authenticationId: id("authentication").optional(),
  entryCapability: EntryCapability,
  terminalId: z.string().optional(),
  wallet: TokenWallet.optional(),
  tokenId: id("token").optional(),
  /** Whether it is one of a series that the payer has agreed to. */
  recurring: z.boolean(),
  storedCredential: StoredCredential.optional(),
  network: NetworkResults.optional(),
});
export type VerificationView = z.output<typeof VerificationView>;

/** What a purchase and its transactions show of it. Absent where the sender said nothing of it. */
export const presentedView = {
  plasticId: presentedIds.plasticId,
  verification: VerificationView.optional(),
};
