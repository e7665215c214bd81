import { type GatewayResponseOptions, ResponseType, type RestApi } from "aws-cdk-lib/aws-apigateway";
import { type ErrorCode, errorCatalogue } from "../../../shared/contract/errors.ts";

const requestId = "$context.requestId";

/** The specification's error envelope, as a template in which API Gateway fills in the request's id. */
function errorEnvelope(code: string, message: string): string {
  return JSON.stringify({ status: "error", code, message, requestId });
}

/** The envelope of a code of the catalogue. */
export function catalogueEnvelope(code: ErrorCode): string {
  return errorEnvelope(code, errorCatalogue[code].message);
}

/**
 * What the gateway answers by itself, in the same envelope as the functions. Values are substituted without escaping: only
 * fixed strings of the catalogue may stand in them.
 */
const answers: [ResponseType, { code: ErrorCode; keepStatus?: true }][] = [
  [ResponseType.UNAUTHORIZED, { code: "API_KEY_INVALID" }],
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, { code: "NOT_FOUND" }],
  [ResponseType.RESOURCE_NOT_FOUND, { code: "NOT_FOUND" }],
  // Only the fallback for unknown routes can refuse a content type: see rest-api.ts.
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, { code: "NOT_FOUND" }],
  [ResponseType.BAD_REQUEST_BODY, { code: "MALFORMED_BODY" }],
  [ResponseType.REQUEST_TOO_LARGE, { code: "PAYLOAD_TOO_LARGE" }],
  [ResponseType.THROTTLED, { code: "RATE_LIMITED" }],
  [ResponseType.QUOTA_EXCEEDED, { code: "RATE_LIMITED" }],
  // Whom the authorizer let in without the gateway knowing its usage key yet: one that was made or moved a moment ago.
  [ResponseType.INVALID_API_KEY, { code: "UNAVAILABLE" }],
  [ResponseType.WAF_FILTERED, { code: "REQUEST_BLOCKED" }],
  [ResponseType.INTEGRATION_FAILURE, { code: "UNAVAILABLE" }],
  [ResponseType.INTEGRATION_TIMEOUT, { code: "UNAVAILABLE" }],
  // The authorizer could not decide: DNS or the table did not answer, or the function was throttled.
  [ResponseType.AUTHORIZER_FAILURE, { code: "UNAVAILABLE" }],
  [ResponseType.AUTHORIZER_CONFIGURATION_ERROR, { code: "UNAVAILABLE" }],
  [ResponseType.API_CONFIGURATION_ERROR, { code: "INTERNAL" }],
  // The defaults cover what is left, with the status that the gateway chose.
  [ResponseType.DEFAULT_4XX, { code: "MALFORMED_BODY", keepStatus: true }],
  [ResponseType.DEFAULT_5XX, { code: "UNAVAILABLE", keepStatus: true }],
];

/** Gives an API the gateway's own answers, each with its `X-Request-Id`. */
export function addGatewayResponses(api: RestApi) {
  for (const [type, { code, keepStatus }] of answers) {
    api.addGatewayResponse(type.responseType, {
      type,
      ...(keepStatus ? {} : { statusCode: String(errorCatalogue[code].status) }),
      ...envelope(catalogueEnvelope(code)),
    });
  }
  // The authorizer denies with a code and a message of the catalogue in its context.
  api.addGatewayResponse(ResponseType.ACCESS_DENIED.responseType, {
    type: ResponseType.ACCESS_DENIED,
    statusCode: "403",
    ...envelope(errorEnvelope("$context.authorizer.code", "$context.authorizer.message")),
  });
}

function envelope(template: string): Pick<GatewayResponseOptions, "responseHeaders" | "templates"> {
  return {
    responseHeaders: { "X-Request-Id": "context.requestId" },
    templates: { "application/json": template },
  };
}
