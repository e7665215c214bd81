import { PaymentCryptographyKeys } from "../../../shared/contract/payment-cryptography.ts";
import { createPinBlock0, pinBlockFormat } from "../pin-block.ts";
import { requirePinKey } from "../pin-zone.ts";
import { printedServiceCode } from "./algorithms.ts";
import type { CardCryptography } from "./port.ts";
import { callService } from "./service-call.ts";

/**
 * With keys in AWS Payment Cryptography, which never leave it. The network's PINs are in clear only
 * there. Those of devices are too, but for the moment in which the vault takes one from its JWE and
 * puts it into a block for the service.
 */
export function paymentCryptography(settings: unknown): CardCryptography {
  const keys = PaymentCryptographyKeys.parse(settings);
  return {
    computeCode: async (use, index, { cardNumber, date, serviceCode }) => {
      const { ValidationData } = await callService("GenerateCardValidationData", {
        KeyIdentifier: at(use === "card" ? keys.cardKeys : (keys.cavvKeys ?? []), index),
        PrimaryAccountNumber: cardNumber,
        GenerationAttributes:
          serviceCode === printedServiceCode
            ? { CardVerificationValue2: { CardExpiryDate: date } }
            : { CardVerificationValue1: { CardExpiryDate: date, ServiceCode: serviceCode } },
        ValidationDataLength: 3,
      });
      return ValidationData;
    },
    computePinValue: async (index, cardNumber, pin) => {
      const block = createPinBlock0(pin, await requirePinKey("service"), cardNumber);
      const { PinData } = await callService("GeneratePinData", {
        GenerationKeyIdentifier: at(keys.pinVerificationKeys, index),
        EncryptionKeyIdentifier: keys.servicePinKey,
        GenerationAttributes: {
          VisaPinVerificationValue: { EncryptedPinBlock: hex(block), PinVerificationKeyIndex: index },
        },
        PrimaryAccountNumber: cardNumber,
        PinBlockFormat: "ISO_FORMAT_0",
      });
      return PinData.VerificationValue;
    },
    verifyPin: async (index, cardNumber, block, value) => {
      const format = pinBlockFormat(block);
      const zoneKey = keys.networkPinKeys[format];
      if (zoneKey === undefined) throw new Error(`The environment names no key for PIN blocks of ${format}.`);
      const answer = await callService("VerifyPinData", {
        VerificationKeyIdentifier: at(keys.pinVerificationKeys, index),
        EncryptionKeyIdentifier: zoneKey,
        VerificationAttributes: {
          VisaPin: { PinVerificationKeyIndex: index, VerificationValue: value },
        },
        EncryptedPinBlock: hex(block),
        PrimaryAccountNumber: cardNumber,
        PinBlockFormat: format === "format0" ? "ISO_FORMAT_0" : "ISO_FORMAT_4",
      });
      return answer === "not-verified" ? "wrong" : answer === "not-valid" ? "unreadable" : "right";
    },
  };
}

/** Indexes begin at 1, as those of PIN verification keys (PVKI) do. */
function at(keys: readonly string[], index: number): string {
  const key = keys[index - 1];
  if (key === undefined) throw new Error(`The environment names no key with the index ${index}.`);
  return key;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex").toUpperCase();
}
