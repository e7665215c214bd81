import { text } from "node:stream/consumers";
import { SignatureV4 } from "@smithy/signature-v4";
import * as z from "zod";
import { PaymentCryptographyKeys } from "../../../shared/contract/payment-cryptography.ts";
import { pause } from "../../../shared/platform/clock.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { ApiError } from "../../../shared/platform/http/api-error.ts";
import { kms } from "../keys.ts";
import { createPinBlock0, pinBlockFormat } from "../pin-block.ts";
import { requirePinKey } from "../pin-zone.ts";
import { printedServiceCode } from "./algorithms.ts";
import type { CardCryptography } from "./port.ts";

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

/**
 * The three calls of AWS Payment Cryptography's data plane that the vault makes, signed and sent by
 * the parts of KMS's client: credentials, region, connections and limits of time are the same.
 */
const calls = {
  GenerateCardValidationData: {
    path: "/cardvalidationdata/generate",
    output: z.object({ ValidationData: z.string().regex(/^\d{3}$/) }),
  },
  GeneratePinData: {
    path: "/pindata/generate",
    output: z.object({ PinData: z.object({ VerificationValue: z.string().regex(/^\d{4}$/) }) }),
  },
  VerifyPinData: { path: "/pindata/verify", output: z.object({}) },
} as const;
type Call = keyof typeof calls;

/** VerifyPinData says them: another PIN; and a block that does not open. */
type Unverified = "not-verified" | "not-valid";
type Output<C extends Call> =
  | z.output<(typeof calls)[C]["output"]>
  | (C extends "VerifyPinData" ? Unverified : never);

const attempts = 3;
const ServiceError = z.object({ __type: z.string().optional(), code: z.string().optional() });

/** @throws ApiError UNAVAILABLE if the service throttles or fails; else Error with a name */
async function callService<C extends Call>(call: C, input: object): Promise<Output<C>> {
  for (let attempt = 1; ; attempt += 1) {
    const { status, body, errorType } = await send(calls[call].path, input).catch(() => unanswered);
    if (status === 200) return calls[call].output.parse(JSON.parse(body)) as Output<C>;
    // Errors carry no card data: the name alone is kept, since messages may quote the input.
    const error = errorType ?? readErrorName(body);
    if (call === "VerifyPinData" && error === "VerificationFailedException")
      return "not-verified" as Output<C>;
    if (call === "VerifyPinData" && error === "ValidationException") return "not-valid" as Output<C>;
    if (status < 500 && error !== "ThrottlingException") throw new Error(`${call}: ${error}`);
    if (attempt === attempts) throw new ApiError("UNAVAILABLE");
    await pause(50 * 2 ** attempt);
  }
}

const unanswered = { status: 503, body: "", errorType: undefined };

async function send(path: string, input: object) {
  const { config } = kms;
  const region = await config.region();
  const url = new URL(
    environment.paymentCryptographyEndpoint ??
      `https://dataplane.payment-cryptography.${region}.amazonaws.com`,
  );
  const { credentials, sha256 } = config;
  const signer = new SignatureV4({ service: "payment-cryptography", region, credentials, sha256 });
  const { protocol, hostname, host, port } = url;
  const signed = await signer.sign({
    ...{ method: "POST", protocol, hostname, path, query: {}, body: JSON.stringify(input) },
    ...(port !== "" && { port: Number(port) }),
    headers: { host, "content-type": "application/json" },
  });
  const { response } = await config.requestHandler.handle(
    signed as Parameters<typeof config.requestHandler.handle>[0],
  );
  const errorType = response.headers["x-amzn-errortype"]?.split(":")[0];
  return { status: response.statusCode, body: await text(response.body), errorType };
}

function readErrorName(body: string): string {
  try {
    const { __type = "", code = "" } = ServiceError.parse(JSON.parse(body));
    return (__type || code).split("#").at(-1) ?? "";
  } catch {
    return "";
  }
}
