import { text } from "node:stream/consumers";
import { SignatureV4 } from "@smithy/signature-v4";
import * as z from "zod";
import { pause } from "../../../shared/platform/clock.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { ApiError } from "../../../shared/platform/http/api-error.ts";
import { kms } from "../keys.ts";

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
export async function callService<C extends Call>(call: C, input: object): Promise<Output<C>> {
  for (let attempt = 1; ; attempt += 1) {
    const { status, body, errorType } = await send(calls[call].path, input).catch(() => unanswered);
    if (status === 200) return calls[call].output.parse(JSON.parse(body)) as Output<C>;
    // Errors carry no card data: the name alone is kept, since messages may quote the input.
    const error = errorType ?? errorOf(body);
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

function errorOf(body: string): string {
  try {
    const { __type = "", code = "" } = ServiceError.parse(JSON.parse(body));
    return (__type || code).split("#").at(-1) ?? "";
  } catch {
    return "";
  }
}
