import type { Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { environmentNames, settingsOf } from "../../infra/environments.ts";
import { errorCatalogue } from "../../shared/contract/errors.ts";
import type { Api } from "../../shared/contract/route.ts";
import { routes } from "../../shared/contract/routes.ts";
import { type Resource, resource, resourcesOf, synthesized } from "./synthesized.ts";

/**
 * What stands behind each method of an API: `GET /cards` -> logical id of the function, or the
 * integration's type.
 */
function methodsOf(template: Template, apiPrefix: string): Map<string, Resource> {
  const [apiId] = resource(template, "AWS::ApiGateway::RestApi", apiPrefix);
  const resources = new Map(resourcesOf(template, "AWS::ApiGateway::Resource"));
  const pathOf = (id: string | undefined): string => {
    const found = id === undefined ? undefined : resources.get(id);
    return found ? `${pathOf(found.Properties.ParentId.Ref)}/${found.Properties.PathPart}` : "";
  };
  return new Map(
    resourcesOf(template, "AWS::ApiGateway::Method")
      .filter(([, method]) => method.Properties.RestApiId.Ref === apiId)
      .map(([, method]) => [
        `${method.Properties.HttpMethod} ${pathOf(method.Properties.ResourceId.Ref) || "/"}`,
        method,
      ]),
  );
}

const apisOf = (name: (typeof environmentNames)[number]): [Api, string][] =>
  settingsOf(name).sandboxHost
    ? [
        ["platform", "PlatformApi"],
        ["sandbox", "SandboxApi"],
      ]
    : [["platform", "PlatformApi"]];

describe.each(environmentNames.flatMap((name) => apisOf(name).map(([api, id]) => ({ name, api, id }))))(
  "$api API of $name",
  ({ name, api, id }) => {
    const templates = synthesized(name);
    const service = api === "platform" ? templates.api : (templates.sandbox as Template);
    const methods = methodsOf(service, id);
    const [apiId, restApi] = resource(service, "AWS::ApiGateway::RestApi", id);

    test("has exactly the contract's routes and the fallback as methods", () => {
      const declared = routes
        .filter((route) => route.api === api)
        .map((route) => `${route.method} ${route.path}`);
      expect(declared).not.toHaveLength(0);
      expect([...methods.keys()].toSorted()).toEqual([...declared, "ANY /", "ANY /{proxy+}"].toSorted());
    });

    test("functions with deprecated endpoints know the documentation's URL", () => {
      const deprecated = new Set(
        routes.filter((route) => route.api === api && route.deprecated).map((route) => route.function),
      );
      const told = resourcesOf(service, "AWS::Lambda::Function")
        .map(([, { Properties }]) => Properties.Environment.Variables)
        .filter((variables) => deprecated.has(variables.SERVICE_NAME));
      expect(told).toHaveLength(deprecated.size);
      for (const { DOCUMENTATION_URL } of told)
        expect(DOCUMENTATION_URL).toBe(settingsOf(name).documentationUrl);
    });

    test("each route invokes the function that the contract names", () => {
      const functions = new Map(
        resourcesOf(service, "AWS::Lambda::Function").map(([logicalId, { Properties }]) => [
          logicalId,
          Properties.Environment.Variables.SERVICE_NAME,
        ]),
      );
      for (const route of routes.filter((candidate) => candidate.api === api)) {
        const integration = methods.get(`${route.method} ${route.path}`)?.Properties.Integration;
        expect(integration).toMatchObject({ Type: "AWS_PROXY", IntegrationHttpMethod: "POST" });
        const target = JSON.stringify(integration.Uri).match(/"Fn::GetAtt":\["(\w+)","Arn"\]/)?.[1] ?? "";
        expect(functions.get(target)).toBe(route.function);
      }
    });

    test("every method calls the authorizer for every request, without a cache", () => {
      for (const [, method] of methods) {
        expect(method.Properties.AuthorizationType).toBe("CUSTOM");
        const authorizer = service.findResources("AWS::ApiGateway::Authorizer")[
          method.Properties.AuthorizerId.Ref
        ];
        expect(authorizer?.Properties).toMatchObject({
          Type: "REQUEST",
          AuthorizerResultTtlInSeconds: 0,
          RestApiId: { Ref: apiId },
        });
        expect(authorizer?.Properties).not.toHaveProperty("IdentitySource");
      }
    });

    test.each(["ANY /", "ANY /{proxy+}"])("%s answers 404 in the envelope for every content type", (key) => {
      const { Integration, MethodResponses } = methods.get(key)?.Properties ?? {};
      expect(Integration).toMatchObject({
        Type: "MOCK",
        PassthroughBehavior: "NEVER",
        ContentHandling: "CONVERT_TO_TEXT",
        RequestTemplates: { "application/json": '{"statusCode":404}' },
      });
      const [answer] = Integration.IntegrationResponses;
      expect(answer.StatusCode).toBe("404");
      expect(answer.ResponseParameters).toEqual({
        "method.response.header.X-Request-Id": "context.requestId",
      });
      expect(JSON.parse(answer.ResponseTemplates["application/json"])).toEqual({
        status: "error",
        code: "NOT_FOUND",
        message: errorCatalogue.NOT_FOUND.message,
        requestId: "$context.requestId",
      });
      expect(MethodResponses).toEqual([
        { StatusCode: "404", ResponseParameters: { "method.response.header.X-Request-Id": true } },
      ]);
    });

    test("gives the functions the bytes of each body", () => {
      expect(restApi.Properties.BinaryMediaTypes).toEqual(["*/*"]);
    });

    test("is reachable only through its custom domain", () => {
      expect(restApi.Properties).toMatchObject({
        DisableExecuteApiEndpoint: true,
        EndpointConfiguration: { Types: ["REGIONAL"] },
      });
      expect(JSON.stringify(service.toJSON().Outputs)).not.toContain("execute-api");
    });

    test("throttles, and keeps no request, response or path in logs and traces", () => {
      const [, stage] = resource(service, "AWS::ApiGateway::Stage", id);
      const { requestsPerSecond, burst } = settingsOf(name).throttle;
      expect(stage.Properties.MethodSettings).toEqual([
        {
          HttpMethod: "*",
          ResourcePath: "/*",
          DataTraceEnabled: false,
          LoggingLevel: "ERROR",
          MetricsEnabled: false,
          ThrottlingRateLimit: requestsPerSecond,
          ThrottlingBurstLimit: burst,
        },
      ]);
      expect(stage.Properties.TracingEnabled).toBe(false);
      const format = JSON.parse(stage.Properties.AccessLogSetting.Format);
      expect(format.resourcePath).toBe("$context.resourcePath");
      expect(JSON.stringify(format)).not.toMatch(
        /\$(input|context\.(path|requestOverride|identity\.apiKey))\b/,
      );
    });
  },
);

describe("gateway responses", () => {
  const { api: service } = synthesized("staging");
  const [apiId] = resource(service, "AWS::ApiGateway::RestApi", "PlatformApi");
  const answers = new Map(
    resourcesOf(service, "AWS::ApiGateway::GatewayResponse")
      .filter(([, { Properties }]) => Properties.RestApiId.Ref === apiId)
      .map(([, { Properties }]) => [Properties.ResponseType, Properties]),
  );

  test("all are JSON in the specification's envelope, with X-Request-Id", () => {
    expect(answers.size).toBeGreaterThan(10);
    for (const { ResponseTemplates, ResponseParameters } of answers.values()) {
      expect(ResponseParameters).toEqual({ "gatewayresponse.header.X-Request-Id": "context.requestId" });
      expect(Object.keys(ResponseTemplates)).toEqual(["application/json"]);
      expect(JSON.parse(ResponseTemplates["application/json"])).toEqual({
        status: "error",
        code: expect.any(String),
        message: expect.any(String),
        requestId: "$context.requestId",
      });
    }
  });

  test("a denial contains the authorizer's code and message", () => {
    expect(answers.get("ACCESS_DENIED")).toMatchObject({ StatusCode: "403" });
    expect(JSON.parse(answers.get("ACCESS_DENIED")?.ResponseTemplates["application/json"])).toMatchObject({
      code: "$context.authorizer.code",
      message: "$context.authorizer.message",
    });
  });

  test.each([
    ["UNAUTHORIZED", "401", "API_KEY_INVALID"],
    ["MISSING_AUTHENTICATION_TOKEN", "404", "NOT_FOUND"],
    ["UNSUPPORTED_MEDIA_TYPE", "404", "NOT_FOUND"],
    ["REQUEST_TOO_LARGE", "413", "PAYLOAD_TOO_LARGE"],
    ["THROTTLED", "429", "RATE_LIMITED"],
    ["WAF_FILTERED", "403", "REQUEST_BLOCKED"],
    ["QUOTA_EXCEEDED", "429", "RATE_LIMITED"],
    ["AUTHORIZER_FAILURE", "503", "UNAVAILABLE"],
    ["AUTHORIZER_CONFIGURATION_ERROR", "503", "UNAVAILABLE"],
    ["INTEGRATION_TIMEOUT", "503", "UNAVAILABLE"],
  ] as const)("%s is %s %s", (type, status, code) => {
    const answer = answers.get(type);
    expect(answer?.StatusCode).toBe(status);
    expect(JSON.parse(answer?.ResponseTemplates["application/json"])).toMatchObject({
      code,
      message: errorCatalogue[code].message,
    });
  });

  test.each(["DEFAULT_4XX", "DEFAULT_5XX"])("%s keeps the gateway's status", (type) => {
    expect(answers.get(type)).toBeDefined();
    expect(answers.get(type)).not.toHaveProperty("StatusCode");
  });
});
