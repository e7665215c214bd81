import { z } from "zod";

const integrationTimeoutMs = 29_000;

/** Only `'literal'` and `context.…`, by header name. */
function headersWith(prefix: string) {
  const value = z.string().regex(/^('[^']*'|context\.[\w.]+)$/, "is not known to the local target");
  return z
    .record(z.string().startsWith(prefix), value)
    .transform((all) =>
      Object.fromEntries(Object.entries(all).map(([name, one]) => [name.slice(prefix.length), one])),
    );
}

const template = z
  .string()
  .refine(isPlainTemplate, "the template's language is not known to the local target");
const templates = z.strictObject({ "application/json": template });
const status = z
  .string()
  .regex(/^[1-5]\d\d$/)
  .transform(Number);
const functionArn = z
  .string()
  .regex(/\/functions\/arn:[^/]+\/invocations$/, "is no function's")
  .transform((uri) => uri.split("/").at(-2) ?? "");

const proxy = z
  .strictObject({
    type: z.literal("aws_proxy"),
    // Lambda refuses an invocation by another method.
    httpMethod: z.literal("POST"),
    uri: functionArn,
    timeoutInMillis: z.number().int().min(50).max(integrationTimeoutMs).default(integrationTimeoutMs),
  })
  .transform(({ uri, timeoutInMillis }) => ({
    kind: "proxy" as const,
    functionArn: uri,
    timeoutMs: timeoutInMillis,
  }));

/** The only supported mock: one JSON response with the request template's status. */
const mock = z
  .strictObject({
    type: z.literal("mock"),
    passthroughBehavior: z.literal("never"),
    // It reads its template as text: of a binary media type it would fail.
    contentHandling: z.literal("CONVERT_TO_TEXT").optional(),
    requestTemplates: z.record(z.string(), z.string()),
    responses: z.strictObject({
      default: z.strictObject({
        statusCode: status,
        responseParameters: headersWith("method.response.header.").default({}),
        responseTemplates: templates,
      }),
    }),
  })
  .transform(({ requestTemplates, responses: { default: answer } }) => ({
    kind: "mock" as const,
    contentTypes: Object.keys(requestTemplates),
    response: {
      status: answer.statusCode,
      headers: answer.responseParameters,
      template: answer.responseTemplates["application/json"],
    },
  }));

const operation = z.strictObject({
  parameters: z
    .array(
      z.strictObject({
        name: z.string(),
        in: z.literal("path"),
        required: z.literal(true),
        schema: z.strictObject({ type: z.literal("string") }),
      }),
    )
    .default([]),
  // Describes answers to generated clients only.
  responses: z.record(z.string(), z.unknown()),
  security: z.array(z.record(z.string(), z.tuple([]))).default([]),
  "x-amazon-apigateway-integration": z.discriminatedUnion("type", [proxy, mock]),
});

const anyMethod = "x-amazon-apigateway-any-method";
const methods = z.enum(["get", "post", "put", "delete", "patch", "head", "options", anyMethod]);

const apiKey = { type: z.literal("apiKey"), in: z.literal("header") };
/** Without cached verdicts and identity sources: they change who gets in. */
const authorizer = z.strictObject({
  ...apiKey,
  name: z.string(),
  "x-amazon-apigateway-authtype": z.literal("custom"),
  "x-amazon-apigateway-authorizer": z.strictObject({
    type: z.literal("request"),
    authorizerUri: functionArn,
    authorizerResultTtlInSeconds: z.literal(0),
  }),
});
const usageKey = z.strictObject({ ...apiKey, name: z.literal("x-api-key") });

const gatewayResponse = z
  .strictObject({
    statusCode: status.optional(),
    responseParameters: headersWith("gatewayresponse.header.").default({}),
    responseTemplates: templates.optional(),
  })
  .transform(({ statusCode, responseParameters, responseTemplates }) => ({
    status: statusCode,
    headers: responseParameters,
    template: responseTemplates?.["application/json"],
  }));

/** The answers that an API may change. */
const changeable = [
  "ACCESS_DENIED API_CONFIGURATION_ERROR AUTHORIZER_CONFIGURATION_ERROR AUTHORIZER_FAILURE BAD_REQUEST_BODY",
  "BAD_REQUEST_PARAMETERS DEFAULT_4XX DEFAULT_5XX EXPIRED_TOKEN INTEGRATION_FAILURE INTEGRATION_TIMEOUT",
  "INVALID_API_KEY INVALID_SIGNATURE MISSING_AUTHENTICATION_TOKEN QUOTA_EXCEEDED REQUEST_TOO_LARGE",
  "RESOURCE_NOT_FOUND THROTTLED UNAUTHORIZED UNSUPPORTED_MEDIA_TYPE WAF_FILTERED",
].flatMap((line) => line.split(" "));

/**
 * What API Gateway imports, as far as it is emulated. The rest is refused: API Gateway refuses it
 * or drops it without a word, such as a document's own `security`, or it is not emulated.
 */
export const apiDocument = z.strictObject({
  // It imports no OpenAPI 3.1.
  openapi: z.string().regex(/^3\.0\.\d$/),
  info: z.strictObject({ title: z.string(), version: z.string() }),
  // On an import, the resource's own DisableExecuteApiEndpoint has no effect.
  servers: z.tuple([
    z.strictObject({
      url: z.string(),
      "x-amazon-apigateway-endpoint-configuration": z.strictObject({
        disableExecuteApiEndpoint: z.literal(true),
      }),
    }),
  ]),
  paths: z.record(z.string(), z.partialRecord(methods, operation)),
  components: z
    .strictObject({ securitySchemes: z.record(z.string(), z.union([authorizer, usageKey])) })
    .default({ securitySchemes: {} }),
  // With another one, it would accept a client's own header.
  "x-amazon-apigateway-api-key-source": z.literal("AUTHORIZER").optional(),
  "x-amazon-apigateway-binary-media-types": z.tuple([z.literal("*/*")]).optional(),
  "x-amazon-apigateway-gateway-responses": z.partialRecord(z.enum(changeable), gatewayResponse).default({}),
});

export type ApiDocument = z.output<typeof apiDocument>;
export type GatewayResponse = z.output<typeof gatewayResponse>;
export type Operation = z.output<typeof operation>;
export type ProxyIntegration = z.output<typeof proxy>;
export type MockIntegration = z.output<typeof mock>;

/** Takes only plain variables, without the template language. */
function isPlainTemplate(template: string): boolean {
  return !/#(set|if|foreach|end|else)\b|\$(?!context\.)[a-zA-Z]+/.test(template);
}
