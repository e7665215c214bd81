import type * as z from "zod";
import type { TokenNetwork, TokenRequest } from "../contract/tokens.ts";
import type { TokenWallet } from "../contract/verification.ts";

/** What a network or processor says of a token. */
export type TokenDetails = Pick<
  z.output<typeof TokenRequest>,
  | "network"
  | "wallet"
  | "requestorId"
  | "requestorName"
  | "tokenReference"
  | "tokenLastFour"
  | "device"
  | "risk"
>;

type PhoneWallet = "apple_pay" | "google_pay" | "samsung_pay";

/** The ids that Visa and Mastercard give the wallets of phones, as both publish them. */
const requestors: Readonly<Record<TokenNetwork, Readonly<Record<PhoneWallet, string>>>> = {
  visa: { apple_pay: "40010030273", google_pay: "40010075001", samsung_pay: "40010043095" },
  mastercard: { apple_pay: "50110030273", google_pay: "50120834693", samsung_pay: "50139059239" },
};

const wallets = new Map(
  Object.values(requestors).flatMap((ids) =>
    Object.entries(ids).map(([wallet, id]) => [id, wallet as PhoneWallet] as const),
  ),
);

export function walletOfRequestor(requestorId: string): TokenWallet {
  return wallets.get(requestorId) ?? "other";
}

export function requestorFor(network: TokenNetwork, wallet: PhoneWallet): string {
  return requestors[network][wallet];
}
