import type {
  BillingAddress,
  CheckResult,
  EntryCapability,
  SentVerification,
  ThreeDSResult,
  TokenWallet,
} from "../../contract/verification.ts";
import { fitting, type Transaction } from "./messages.ts";

interface Verifying {
  readonly verification?: SentVerification;
  readonly billingAddress?: BillingAddress;
}

/** What Marqeta says of card, user and terminal. What does not fit is left out. */
export function toVerifying(transaction: Transaction): Verifying {
  const { pos, address_verification: address, card_security_code_verification: code } = transaction;
  const { street_address: line, postal_code: postalCode } = address?.request ?? {};
  const billingAddress = { line1: fitting(line, 100), postalCode: fitting(postalCode, 20) };
  const verification: SentVerification = {
    ...toAddressResults(transaction),
    cvc: toResult(code?.response),
    threeDS: toThreeDS(transaction),
    entryCapability: toCapability(pos?.card_data_input_capability),
    terminalId: fitting(pos?.terminal_id, 16),
    wallet: toWallet(transaction),
    recurring: pos?.is_recurring || undefined,
    storedCredential: pos?.is_installment ? "installment" : pos?.is_recurring ? "recurring" : undefined,
  };
  const isSaid = Object.values(verification).some((value) => value !== undefined);
  const isAddressSent = Object.values(billingAddress).some((value) => value !== undefined);
  return { ...(isSaid && { verification }), ...(isAddressSent && { billingAddress }) };
}

type Response = { readonly code?: string | undefined; readonly memo?: string | undefined } | undefined;

const matches = "0000";

/** The code of a match is one; of the others, only the memo says what they mean. */
function toResult(response: Response): CheckResult | undefined {
  if (!response) return undefined;
  if (response.code === matches) return "match";
  return /mismatch|not match|no match|incorrect|invalid/i.test(response.memo ?? "")
    ? "mismatch"
    : "not_checked";
}

/** What Marqeta found with the address that it has. */
function toAddressResults({ address_verification: address }: Transaction) {
  const response = address?.issuer?.response ?? address?.response;
  if (response?.code !== matches) return {};
  const { street_address: line, postal_code: postalCode } = address?.request ?? {};
  return {
    ...(line && { addressLine: "match" as const }),
    ...(postalCode && { postalCode: "match" as const }),
  };
}

/**
 * What was authenticated counts only where Marqeta has checked the proof: a control can depend on
 * it, and a merchant can claim anything.
 */
function toThreeDS({ cardholder_authentication_data: data }: Transaction): ThreeDSResult | undefined {
  if (!data) return undefined;
  const said =
    `${data.authentication_status ?? ""} ${data.electronic_commerce_indicator ?? ""}`.toUpperCase();
  const checked = data.verification_result?.toUpperCase() ?? "";
  if (/NOT_VERIFIED|FAILED/.test(checked) || /FAIL|REJECT/.test(said)) return "failed";
  if (checked.startsWith("VERIFIED")) {
    if (/ATTEMPT/.test(said)) return "attempted";
    if (/\bSUCCESS|_SUCCESS/.test(said)) return "authenticated";
  }
  return data.acquirer_exemption === undefined ? undefined : "exempted";
}

/** The best that the terminal can do comes first: `CHIP_MAG_STRIPE` reads chips. */
const capabilities: readonly (readonly [RegExp, EntryCapability])[] = [
  [/CHIP(?!_CONTACTLESS)|ICC/, "chip"],
  [/CONTACTLESS/, "contactless"],
  [/MAG/, "magstripe"],
  [/KEY|MANUAL/, "keyed"],
];

function toCapability(said: string | undefined): EntryCapability | undefined {
  if (said === undefined) return undefined;
  return capabilities.find(([pattern]) => pattern.test(said))?.[1] ?? "unknown";
}

function toWallet({ digital_wallet_token: token }: Transaction): TokenWallet | undefined {
  if (!token) return undefined;
  const name = token.token_service_provider?.token_requestor_name ?? "";
  if (/apple/i.test(name)) return "apple_pay";
  if (/google|android/i.test(name)) return "google_pay";
  return /samsung/i.test(name) ? "samsung_pay" : "other";
}
