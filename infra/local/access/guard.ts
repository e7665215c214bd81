import { createHmac, randomBytes } from "node:crypto";
import type { Services } from "../start-services.ts";
import { toFunctionName } from "./access-control.ts";
import { toChecked } from "./checked-calls.ts";

const servedHere = ["EVENTBRIDGE", "SECRETS_MANAGER", "KMS", "LAMBDA", "API_GATEWAY"];

/** Points a function's SDK to the services, by way of its thread's checks. */
export function serviceAddresses({ dynamo, sqs, aws }: Services): Record<string, string> {
  const others = toChecked(aws.endpoint);
  return {
    AWS_ENDPOINT_URL: others,
    AWS_ENDPOINT_URL_DYNAMODB: toChecked(dynamo.endpoint),
    AWS_ENDPOINT_URL_SQS: toChecked(sqs.endpoint),
    ...Object.fromEntries(servedHere.map((service) => [`AWS_ENDPOINT_URL_${service}`, others])),
  };
}

/**
 * It ends with this run: who learns an access key from a presigned URL can sign nothing with it.
 */
const secretOfThisRun = randomBytes(32);

/** Undefined for a key that is no function's. */
export function toSecretKey(accessKeyId: string): string | undefined {
  if (toFunctionName(accessKeyId) === "") return undefined;
  return createHmac("sha256", secretOfThisRun).update(accessKeyId).digest("base64url");
}
