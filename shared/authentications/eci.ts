import type { AuthenticationState } from "../contract/authentications.ts";

export type CardNetwork = "visa" | "mastercard";

/** By the first digit of the number: 4 is Visa's, 2 and 5 are Mastercard's. */
export function toNetwork({ bin }: { readonly bin: string }): CardNetwork {
  return /^[25]/.test(bin) ? "mastercard" : "visa";
}

/** Electronic commerce indicators. While it is challenged, there is none. */
const indicators: Readonly<Record<AuthenticationState, Readonly<Record<CardNetwork, string>> | undefined>> = {
  challenged: undefined,
  authenticated: { visa: "05", mastercard: "02" },
  exempted: { visa: "07", mastercard: "06" },
  attempted: { visa: "06", mastercard: "01" },
  rejected: { visa: "07", mastercard: "00" },
  failed: { visa: "07", mastercard: "00" },
  expired: { visa: "07", mastercard: "00" },
};

export function findEci(state: AuthenticationState, network: CardNetwork): string | undefined {
  return indicators[state]?.[network];
}

/** Whether the issuer bears the fraud of a purchase with it. */
export function shiftsLiability(state: AuthenticationState): boolean {
  return state === "authenticated" || state === "attempted";
}
