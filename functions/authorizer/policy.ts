import type { APIGatewayAuthorizerResult } from "aws-lambda";
import type { z } from "zod";
import type { AuthorizerContext } from "../../shared/contract/authorizer-context.ts";
import { errorCatalogue } from "../../shared/contract/errors.ts";
import type { DeniedCode } from "./refusal.ts";

/** The caller, as the functions behind the API see it. API Gateway carries only strings. */
export type CallerContext = z.input<typeof AuthorizerContext>;

/**
 * Allows every method of this API's stage: the context decides what the caller may do, the usage key how
 * much.
 */
export function allow(
  methodArn: string,
  context: CallerContext,
  usageIdentifierKey: string,
): APIGatewayAuthorizerResult {
  return { ...result(context.apiUserId, "Allow", methodArn), context, usageIdentifierKey };
}

/** The gateway response puts the code and its public message into the envelope. */
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

/** `arn:…:api/stage/METHOD/path` up to the stage: the path is the caller's text and stays out of a policy. */
function stageArn(methodArn: string): string {
  const [api, stage] = methodArn.split("/");
  return `${api}/${stage}/*`;
}
