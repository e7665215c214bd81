import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { computeCode, computePinValue } from "../../functions/vault/cryptography/algorithms.ts";
import { openPinBlock } from "../../functions/vault/pin-block.ts";
import type { PaymentCryptographyKeys } from "../../shared/contract/payment-cryptography.ts";
import { listen } from "./listen.ts";

/**
 * AWS Payment Cryptography's data plane, with the shapes and limits of its API reference. What it
 * does not know it refuses, as the service does.
 */

const digits = (least: number, most = least) => z.string().regex(new RegExp(`^\\d{${least},${most}}$`));
const keyId = z.string().regex(/^arn:aws:payment-cryptography:[a-z0-9-]+:\d{12}:key\/[0-9a-zA-Z]{16,64}$/);
const pan = digits(12, 19);
const expiry = { CardExpiryDate: digits(4) };
const block = z.string().regex(/^[0-9A-F]{16,32}$/);
const format = z.enum(["ISO_FORMAT_0", "ISO_FORMAT_1", "ISO_FORMAT_3", "ISO_FORMAT_4"]);
const index = z.int().min(0).max(9);

const requests = {
  "/cardvalidationdata/generate": z.strictObject({
    KeyIdentifier: keyId,
    PrimaryAccountNumber: pan,
    GenerationAttributes: z.union([
      z.strictObject({ CardVerificationValue1: z.strictObject({ ...expiry, ServiceCode: digits(3) }) }),
      z.strictObject({ CardVerificationValue2: z.strictObject(expiry) }),
    ]),
    ValidationDataLength: z.int().min(3).max(5).default(3),
  }),
  "/pindata/generate": z.strictObject({
    GenerationKeyIdentifier: keyId,
    EncryptionKeyIdentifier: keyId,
    GenerationAttributes: z.strictObject({
      VisaPinVerificationValue: z.strictObject({ EncryptedPinBlock: block, PinVerificationKeyIndex: index }),
    }),
    PrimaryAccountNumber: pan,
    PinBlockFormat: format,
  }),
  "/pindata/verify": z.strictObject({
    VerificationKeyIdentifier: keyId,
    EncryptionKeyIdentifier: keyId,
    VerificationAttributes: z.strictObject({
      VisaPin: z.strictObject({ PinVerificationKeyIndex: index, VerificationValue: digits(4, 12) }),
    }),
    EncryptedPinBlock: block,
    PrimaryAccountNumber: pan,
    PinBlockFormat: format,
  }),
};
type Path = keyof typeof requests;

class Refused extends Error {
  readonly status: number;

  constructor(name: string, status = 400) {
    super(name);
    this.status = status;
  }
}

interface Fault {
  next: number | "ThrottlingException" | "AccessDeniedException" | undefined;
}

export interface PaymentService {
  readonly keys: PaymentCryptographyKeys;
  /** What was asked: paths, and the requests' bodies. */
  readonly asked: { path: string; body: Record<string, unknown> }[];
  readonly fault: Fault;
}

const arnOf = (name: string) =>
  `arn:aws:payment-cryptography:eu-west-1:111122223333:key/${name.padEnd(16, "0")}`;

/** With keys of the given bytes, in this process's environment until the test ends. */
export async function givenPaymentService(keys: Readonly<Record<string, string>>): Promise<PaymentService> {
  const byArn = new Map(Object.entries(keys).map(([name, key]) => [arnOf(name), Buffer.from(key, "hex")]));
  const asked: PaymentService["asked"] = [];
  const fault: Fault = { next: undefined };
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    answer(request, byArn, asked, fault).then(
      (body) => response.end(JSON.stringify(body)),
      (error: unknown) => {
        const { message, status = 500 } = error as Partial<Refused>;
        response
          .writeHead(status, { "x-amzn-errortype": `${message}:http://internal.amazon.com/` })
          .end("{}");
      },
    );
  });
  const settings: PaymentCryptographyKeys = {
    cardKeys: [arnOf("card1"), arnOf("card2")],
    cavvKeys: [arnOf("cavv1")],
    pinVerificationKeys: [arnOf("pin1"), arnOf("pin2")],
    servicePinKey: arnOf("service"),
    networkPinKeys: { format0: arnOf("zone0"), format4: arnOf("zone4") },
  };
  const before = { PAYMENT_CRYPTOGRAPHY: process.env.PAYMENT_CRYPTOGRAPHY ?? "" };
  process.env.PAYMENT_CRYPTOGRAPHY = JSON.stringify(settings);
  process.env.AWS_ENDPOINT_URL_PAYMENT_CRYPTOGRAPHY_DATA = await listen(server);
  onTestFinished(() => {
    Object.assign(process.env, before);
    delete process.env.AWS_ENDPOINT_URL_PAYMENT_CRYPTOGRAPHY_DATA;
    server.closeAllConnections();
    server.close();
  });
  return { keys: settings, asked, fault };
}

async function answer(
  request: IncomingMessage,
  keys: ReadonlyMap<string, Buffer>,
  asked: PaymentService["asked"],
  fault: Fault,
): Promise<object> {
  const given = await text(request);
  const path = request.url as Path;
  if (request.method !== "POST" || !(path in requests)) throw new Refused("UnknownOperationException", 404);
  if (
    !/Credential=\w+\/\d{8}\/[\w-]+\/payment-cryptography\/aws4_request/.test(
      request.headers.authorization ?? "",
    )
  )
    throw new Refused("AccessDeniedException", 403);
  const { next } = fault;
  fault.next = undefined;
  if (next !== undefined)
    throw typeof next === "number" ? new Refused("InternalServerException", next) : new Refused(next);
  const { success, data } = requests[path].safeParse(JSON.parse(given));
  if (!success) throw new Refused("ValidationException");
  asked.push({ path, body: data });
  const keyOf = (arn: string): Buffer => {
    const key = keys.get(arn);
    if (key === undefined) throw new Refused("ResourceNotFoundException", 404);
    return key;
  };
  const open = (arn: string, encrypted: string, cardNumber: string) => {
    const pin = openPinBlock(Buffer.from(encrypted, "hex"), keyOf(arn), cardNumber);
    if (pin === undefined) throw new Refused("ValidationException");
    return pin;
  };
  if ("KeyIdentifier" in data) {
    const { GenerationAttributes: of, KeyIdentifier, PrimaryAccountNumber: cardNumber } = data;
    const { CardExpiryDate: date, ServiceCode: serviceCode } =
      "CardVerificationValue1" in of
        ? of.CardVerificationValue1
        : { ...of.CardVerificationValue2, ServiceCode: "000" };
    const ValidationData = computeCode(keyOf(KeyIdentifier), { cardNumber, date, serviceCode });
    return { KeyArn: KeyIdentifier, KeyCheckValue: "000000", ValidationData };
  }
  if ("GenerationKeyIdentifier" in data) {
    const { EncryptedPinBlock, PinVerificationKeyIndex } = data.GenerationAttributes.VisaPinVerificationValue;
    const pin = open(data.EncryptionKeyIdentifier, EncryptedPinBlock, data.PrimaryAccountNumber);
    const key = keyOf(data.GenerationKeyIdentifier);
    const VerificationValue = computePinValue(key, PinVerificationKeyIndex, data.PrimaryAccountNumber, pin);
    return { EncryptedPinBlock, PinData: { VerificationValue } };
  }
  const { PinVerificationKeyIndex, VerificationValue } = data.VerificationAttributes.VisaPin;
  const pin = open(data.EncryptionKeyIdentifier, data.EncryptedPinBlock, data.PrimaryAccountNumber);
  const key = keyOf(data.VerificationKeyIdentifier);
  if (computePinValue(key, PinVerificationKeyIndex, data.PrimaryAccountNumber, pin) !== VerificationValue)
    throw new Refused("VerificationFailedException");
  return {
    VerificationKeyArn: data.VerificationKeyIdentifier,
    EncryptionKeyArn: data.EncryptionKeyIdentifier,
  };
}
