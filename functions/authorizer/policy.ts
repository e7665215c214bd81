import type { APIGatewayAuthorizerResult } from "aws-lambda";
import type { z } from "zod";
import type { AuthorizerContext } from "../../shared/contract/authorizer-context.ts";
import { errorCatalogue } from "../../shared/contract/errors.ts";
import type { DeniedCode } from "./refusal.ts";

/** What the functions behind the API get to know of the caller. API Gateway carries strings alone. */
export type CallerContext = z.input<typeof AuthorizerContext>;

/**
 * Lets the caller reach every method of this API's stage; what it may do there is decided by its context, and how much of it by the usage key:
 * what the gateway counts this request by.
 */
export function allow(
  methodArn: string,
  context: CallerContext,
  usageIdentifierKey: string,
): APIGatewayAuthorizerResult {
  return { ...result(context.apiUserId, "Allow", methodArn), context, usageIdentifierKey };
}

/** Refuses with a code and its public message, which the gateway response puts into the envelope. */
export function deny(methodArn: string, code: DeniedCode): APIGatewayAuthorizerResult {
  const { message } = errorCatalogue[code];
  return { ...result("refused", "Deny", methodArn), context: { code, message } };
}

function result(principalId: string, Effect: "Allow" | "Deny", methodArn: string) {
  return {
    principalId,
    policyDocument: {
      Version: "2012-10-17",
      Statement: [{ Action: "execute-api:Invoke", Effect, Resource: stageArn(methodArn) }],
    },
  };
}

/** `arn:…:api/stage/METHOD/path` up to the stage: the path is the caller's own text and stays out of a policy. */
function stageArn(methodArn: string): string {
  const [api, stage] = methodArn.split("/");
  return `${api}/${stage}/*`;
}
