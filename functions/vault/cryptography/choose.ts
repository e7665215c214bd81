import { environment } from "../../../shared/platform/environment.ts";
import type { CardCryptography } from "./port.ts";

/** AWS Payment Cryptography where the environment names its keys; else keys that KMS wraps. */
export async function cardCryptography(): Promise<CardCryptography> {
  const keys = environment.paymentCryptography;
  if (keys === undefined) return (await import("./own-keys.ts")).ownKeys;
  return (await import("./payment-cryptography.ts")).paymentCryptography(keys);
}
