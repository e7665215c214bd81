import { createHash } from "node:crypto";

/** Another one for each text, with the right check digits. */
export function makeIban(text: string): string {
  const digest = createHash("sha256").update(text).digest();
  const bban = (digest.readBigUInt64BE() % 10n ** 18n).toString().padStart(18, "0");
  // D and E are 13 and 14.
  const remainder = BigInt(`${bban}131400`) % 97n;
  return `DE${(98n - remainder).toString().padStart(2, "0")}${bban}`;
}
