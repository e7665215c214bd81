import * as z from "zod";

const arn = z
  .string()
  .regex(/^arn:aws[\w-]*:payment-cryptography:[\w-]+:\d{12}:key\/\w+$/, "must be a key's ARN");
/** By their indexes, which begin at 1. */
const byIndex = z.array(arn).min(1).max(6);

/** ARNs of keys in AWS Payment Cryptography. */
export const PaymentCryptographyKeys = z.strictObject({
  /** Triple DES, double length; TR31_C0_CARD_VERIFICATION_KEY. */
  cardKeys: byIndex,
  /** The same, of 3-D Secure. */
  cavvKeys: byIndex.optional(),
  /** Triple DES, double length; TR31_V2_VISA_PIN_VERIFICATION_KEY. */
  pinVerificationKeys: byIndex,
  /** Triple DES; TR31_P0_PIN_ENCRYPTION_KEY. The vault has it too, for the PINs of devices. */
  servicePinKey: arn,
  /** The same, of the network's zone: triple DES for format 0, AES for format 4. */
  networkPinKeys: z.strictObject({ format0: arn, format4: arn }).partial(),
});
export type PaymentCryptographyKeys = z.output<typeof PaymentCryptographyKeys>;

/** What the vault calls, as IAM names it. */
export const paymentCryptographyCalls = [
  "GenerateCardValidationData",
  "GeneratePinData",
  "VerifyPinData",
] as const;

/** Where an index has no key, codes of new Cards could not be computed. */
export function hasIndex({ cardKeys, pinVerificationKeys }: PaymentCryptographyKeys, index: number): boolean {
  return Math.min(cardKeys.length, pinVerificationKeys.length) >= index;
}
