import { type ErrorCode, errorCatalogue } from "../../../shared/contract/errors.ts";

const requestId = "$context.requestId";

/**
 * Returns the specification's error envelope as a template; API Gateway fills in the request id.
 */
function errorEnvelope(code: string, message: string): string {
  return JSON.stringify({ status: "error", code, message, requestId });
}

function catalogueEnvelope(code: ErrorCode): string {
  return errorEnvelope(code, errorCatalogue[code].message);
}

const { status: unknownStatus } = errorCatalogue.NOT_FOUND;
/** A path or a method that no operation has, unlike an operation's record that does not exist. */
export const unknownOperation = errorEnvelope(
  "NOT_FOUND",
  "There is no such operation: check method and path.",
);
// The fallback for unknown routes rejects a content type, and nothing else does: see
// api-document.ts.
const unknownTypes = ["MISSING_AUTHENTICATION_TOKEN", "RESOURCE_NOT_FOUND", "UNSUPPORTED_MEDIA_TYPE"];

/**
 * The gateway's own answers, in the specification's envelope. Values are not escaped: use only
 * fixed strings of the error catalogue.
 */
const answers: readonly (readonly [type: string, code: ErrorCode])[] = [
  ["UNAUTHORIZED", "API_KEY_INVALID"],
  ["BAD_REQUEST_BODY", "MALFORMED_BODY"],
  ["REQUEST_TOO_LARGE", "PAYLOAD_TOO_LARGE"],
  ["THROTTLED", "RATE_LIMITED"],
  ["QUOTA_EXCEEDED", "RATE_LIMITED"],
  // The gateway does not know a usage key in the first moments after its creation or move.
  ["INVALID_API_KEY", "UNAVAILABLE"],
  ["WAF_FILTERED", "REQUEST_BLOCKED"],
  ["INTEGRATION_FAILURE", "UNAVAILABLE"],
  ["INTEGRATION_TIMEOUT", "UNAVAILABLE"],
  // DNS or the table did not answer, or the function was throttled.
  ["AUTHORIZER_FAILURE", "UNAVAILABLE"],
  ["AUTHORIZER_CONFIGURATION_ERROR", "UNAVAILABLE"],
  ["API_CONFIGURATION_ERROR", "INTERNAL"],
  // Covers all other errors with the gateway's own status, as the next one does.
  ["DEFAULT_5XX", "UNAVAILABLE"],
];

/** By type, as an API's document has them. */
export const gatewayResponses = {
  ...Object.fromEntries(
    answers.map(([type, code]) => [type, answer(catalogueEnvelope(code), toStatus(type, code))]),
  ),
  ...Object.fromEntries(unknownTypes.map((type) => [type, answer(unknownOperation, unknownStatus)])),
  // Such as a path that cannot be decoded.
  DEFAULT_4XX: answer(errorEnvelope("MALFORMED_BODY", "The request is not well-formed HTTP."), undefined),
  // The authorizer puts the catalogue's code and message into the context.
  ACCESS_DENIED: answer(errorEnvelope("$context.authorizer.code", "$context.authorizer.message"), 403),
};

function toStatus(type: string, code: ErrorCode): number | undefined {
  return type.startsWith("DEFAULT_") ? undefined : errorCatalogue[code].status;
}

function answer(template: string, status: number | undefined) {
  return {
    ...(status !== undefined && { statusCode: String(status) }),
    responseParameters: { "gatewayresponse.header.X-Request-Id": "context.requestId" },
    responseTemplates: { "application/json": template },
  };
}
