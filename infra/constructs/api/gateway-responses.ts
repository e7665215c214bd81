import { type GatewayResponseOptions, ResponseType, type RestApi } from "aws-cdk-lib/aws-apigateway";
import { type ErrorCode, errorCatalogue } from "../../../shared/contract/errors.ts";

const requestId = "$context.requestId";

/**
 * Returns the specification's error envelope as a template; API Gateway fills in the request id.
 */
function errorEnvelope(code: string, message: string): string {
  return JSON.stringify({ status: "error", code, message, requestId });
}

export function catalogueEnvelope(code: ErrorCode): string {
  return errorEnvelope(code, errorCatalogue[code].message);
}

/**
 * The gateway's own answers, in the specification's envelope. Values are not escaped: use only
 * fixed strings of the error catalogue.
 */
const answers: [ResponseType, { code: ErrorCode; keepStatus?: true }][] = [
  [ResponseType.UNAUTHORIZED, { code: "API_KEY_INVALID" }],
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, { code: "NOT_FOUND" }],
  [ResponseType.RESOURCE_NOT_FOUND, { code: "NOT_FOUND" }],
  // Only the fallback for unknown routes rejects a content type: see rest-api.ts.
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, { code: "NOT_FOUND" }],
  [ResponseType.BAD_REQUEST_BODY, { code: "MALFORMED_BODY" }],
  [ResponseType.REQUEST_TOO_LARGE, { code: "PAYLOAD_TOO_LARGE" }],
  [ResponseType.THROTTLED, { code: "RATE_LIMITED" }],
  [ResponseType.QUOTA_EXCEEDED, { code: "RATE_LIMITED" }],
  // The gateway does not know a usage key in the first moments after its creation or move.
  [ResponseType.INVALID_API_KEY, { code: "UNAVAILABLE" }],
  [ResponseType.WAF_FILTERED, { code: "REQUEST_BLOCKED" }],
  [ResponseType.INTEGRATION_FAILURE, { code: "UNAVAILABLE" }],
  [ResponseType.INTEGRATION_TIMEOUT, { code: "UNAVAILABLE" }],
  // DNS or the table did not answer, or the function was throttled.
  [ResponseType.AUTHORIZER_FAILURE, { code: "UNAVAILABLE" }],
  [ResponseType.AUTHORIZER_CONFIGURATION_ERROR, { code: "UNAVAILABLE" }],
  [ResponseType.API_CONFIGURATION_ERROR, { code: "INTERNAL" }],
  // Covers all other errors with the gateway's own status.
  [ResponseType.DEFAULT_4XX, { code: "MALFORMED_BODY", keepStatus: true }],
  [ResponseType.DEFAULT_5XX, { code: "UNAVAILABLE", keepStatus: true }],
];

export function addGatewayResponses(api: RestApi) {
  for (const [type, { code, keepStatus }] of answers) {
    api.addGatewayResponse(type.responseType, {
      type,
      ...(keepStatus ? {} : { statusCode: String(errorCatalogue[code].status) }),
      ...envelope(catalogueEnvelope(code)),
    });
  }
  // The authorizer puts the catalogue's code and message into the context.
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
