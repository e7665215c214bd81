import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { correlated, log } from "../../shared/platform/log.ts";
import { authenticate } from "./authenticate.ts";
import { allow, deny } from "./policy.ts";
import { presentedCredentials } from "./presented-credentials.ts";
import { Refusal } from "./refusal.ts";
import { usageKeyOf } from "./usage-key-of.ts";

/**
 * Never cached: a revoked key or certificate must fail on its next request. Certificate and address fail with
 * a policy whose context becomes the 403; the key with the text that API Gateway answers 401 for; suspended
 * access with a 403 again. Any other error becomes a 503.
 * @throws Error "Unauthorized", "Unavailable"
 */
export function authorize(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  return correlated({ requestId: event.requestContext.requestId }, () => decide(event));
}

async function decide(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  try {
    const caller = await authenticate(presentedCredentials(event));
    return allow(event.methodArn, caller, usageKeyOf(event, caller));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    log.info("The caller was refused.", { cause: error.cause, ...error.who });
    if (error.code === "API_KEY_INVALID") throw new Error("Unauthorized");
    if (error.code === "UNAVAILABLE") throw new Error("Unavailable");
    return deny(event.methodArn, error.code);
  }
}
