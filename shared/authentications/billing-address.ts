import type { Cardholder } from "../cardholders/cardholder.ts";
import type { ComparedAddress } from "../contract/authentications.ts";

/** As the merchant sent it. */
interface BillingAddress {
  readonly line1?: string | undefined;
  readonly postalCode?: string | undefined;
}

/** Compares what a merchant sent with the Cardholder's address at this moment. */
export function compareBillingAddress(
  sent: BillingAddress | undefined,
  address: Cardholder["address"] | undefined,
): { readonly addressLine: ComparedAddress; readonly postalCode: ComparedAddress } {
  const isUs = address?.country === "US";
  const toCode = (code: string) => (isUs ? plain(code).slice(0, 5) : plain(code));
  return {
    addressLine: compare(sent?.line1, address?.line1, toLine),
    postalCode: compare(sent?.postalCode, address?.postalCode, toCode),
  };
}

function compare(
  sent: string | undefined,
  known: string | undefined,
  normalize: (value: string) => string,
): ComparedAddress {
  if (sent === undefined) return "not_present";
  if (known === undefined) return "not_checked";
  return normalize(sent) === normalize(known) ? "match" : "mismatch";
}

/** The digits of a line; of a line without any, its letters. */
function toLine(line: string): string {
  return line.replace(/\D/g, "") || plain(line);
}

function plain(value: string): string {
  return value.replace(/[^\p{L}\p{N}]/gu, "").toUpperCase();
}
