import type { TokenNetwork } from "../contract/tokens.ts";

/** One of the two whose tokens are known. */
export function toTokenNetwork(cardNumber: string): TokenNetwork {
  return cardNumber.startsWith("4") ? "visa" : "mastercard";
}
