import type { Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { unknownOperation } from "../../infra/constructs/api/gateway-responses.ts";
import { environmentNames, readSettings } from "../../infra/environments.ts";
import { errorCatalogue } from "../../shared/contract/errors.ts";
import type { Api } from "../../shared/contract/route.ts";
import { routes } from "../../shared/contract/routes.ts";
import { resource, resourcesOf, synthesized } from "./synthesized.ts";

const integration = "x-amazon-apigateway-integration";

/** The operations of an API's document: `GET /cards`, `ANY /`. */
// biome-ignore lint/suspicious/noExplicitAny: each assertion says what it expects.
function operationsOf({ paths }: any): Map<string, any> {
  return new Map(
    Object.entries<object>(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => {
        const name = method === "x-amazon-apigateway-any-method" ? "ANY" : method.toUpperCase();
        return [`${name} ${path}`, operation] as const;
      }),
    ),
  );
}

const apisOf = (name: (typeof environmentNames)[number]): [Api, string][] =>
  readSettings(name).sandboxHost
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
    const [apiId, restApi] = resource(service, "AWS::ApiGateway::RestApi", id);
    const { Body: document } = restApi.Properties;
    const operations = operationsOf(document);

    test("has exactly the contract's routes and the fallback", () => {
      const declared = routes
        .filter((route) => route.api === api)
        .map((route) => `${route.method} ${route.path}`);
      expect(declared).not.toHaveLength(0);
      expect([...operations.keys()].toSorted()).toEqual([...declared, "ANY /", "ANY /{proxy+}"].toSorted());
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
        expect(DOCUMENTATION_URL).toBe(readSettings(name).documentationUrl);
    });

    test("each route invokes the function that the contract names", () => {
      const functions = new Map(
        resourcesOf(service, "AWS::Lambda::Function").map(([logicalId, { Properties }]) => [
          logicalId,
          Properties.Environment.Variables.SERVICE_NAME,
        ]),
      );
      for (const route of routes.filter((candidate) => candidate.api === api)) {
        const { type, httpMethod, uri } =
          operations.get(`${route.method} ${route.path}`)?.[integration] ?? {};
        expect([type, httpMethod]).toEqual(["aws_proxy", "POST"]);
        const target = JSON.stringify(uri).match(/"Fn::GetAtt":\["(\w+)","Arn"\]/)?.[1] ?? "";
        expect(functions.get(target)).toBe(route.function);
      }
    });

    test("API Gateway may invoke each function, and the authorizer, for this API alone", () => {
      const invoked = JSON.stringify(document).match(
        /"Fn::GetAtt":\["\w+","Arn"\]|"Fn::GetStackOutput":\{[^}]+\}|"Ref":"AuthorizerAlias\w+"/g,
      );
      const permissions = resourcesOf(service, "AWS::Lambda::Permission")
        .map(([, { Properties }]) => Properties)
        .filter(({ SourceArn }) => JSON.stringify(SourceArn).includes(`{"Ref":"${apiId}"}`));
      const allowed = permissions.map(({ FunctionName }) => JSON.stringify(FunctionName).slice(1, -1));
      expect(allowed.toSorted()).toEqual([...new Set(invoked)].toSorted());
      const sources = permissions.map(({ SourceArn }) => SourceArn["Fn::Join"][1].at(-1));
      expect(sources.filter((source) => source === "/authorizers/*")).toHaveLength(1);
      expect(sources.filter((source) => source === "/*/*/*")).toHaveLength(permissions.length - 1);
    });

    test("every operation calls the authorizer for every request, without a cache, and is counted by its key", () => {
      for (const [, { security }] of operations)
        expect(security).toEqual([{ authorizer: [] }, { api_key: [] }]);
      const { authorizer, api_key } = document.components.securitySchemes;
      expect(authorizer["x-amazon-apigateway-authorizer"]).toEqual({
        type: "request",
        authorizerUri: expect.anything(),
        authorizerResultTtlInSeconds: 0,
      });
      expect(authorizer["x-amazon-apigateway-authtype"]).toBe("custom");
      expect(api_key.name).toBe("x-api-key");
      expect(document["x-amazon-apigateway-api-key-source"]).toBe("AUTHORIZER");
    });

    test("every operation declares its path's parameters, without which an import fails", () => {
      for (const [route, { parameters = [] }] of operations) {
        const names = parameters.map(({ name, in: place }: Record<string, string>) => `${place} ${name}`);
        const used = [...route.matchAll(/\{([^}+]+)\+?\}/g)].map(([, name]) => `path ${name}`);
        expect(names, route).toEqual(used);
      }
    });

    test("has paths that an import takes, which are 300 at most", () => {
      const paths = new Set(["/"]);
      for (const path of Object.keys(document.paths))
        for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1))
          paths.add(path.slice(0, end));
      expect(paths.size).toBeLessThanOrEqual(300);
      const parts = [...paths].filter((path) => path !== "/").map((path) => path.split("/").slice(1));
      for (const part of parts.flat()) expect(part).toMatch(/^([\w.,:-]+|\{[\w.-]+\+?\})$/);
      // API Gateway answers them itself.
      expect(["/ping", "/sping"].filter((path) => paths.has(path))).toEqual([]);
      for (const path of paths) {
        const below = [...paths].filter((other) => other.slice(0, other.lastIndexOf("/")) === path);
        expect(below.filter((other) => /\{[^+}]+\}$/.test(other)).length, path).toBeLessThanOrEqual(1);
        expect(below.filter((other) => /\+\}$/.test(other)).length, path).toBeLessThanOrEqual(1);
        if (path.endsWith("+}")) expect(below).toEqual([]);
      }
    });

    test("takes its name from its document, which its alarms and the dashboard use", () => {
      expect(document.info.title).toBe(restApi.Properties.Name);
    });

    test.each(["ANY /", "ANY /{proxy+}"])("%s answers 404 in the envelope for every content type", (key) => {
      const { responses, [integration]: mock } = operations.get(key) ?? {};
      expect(mock).toMatchObject({
        type: "mock",
        passthroughBehavior: "never",
        contentHandling: "CONVERT_TO_TEXT",
        requestTemplates: { "application/json": '{"statusCode":404}' },
      });
      const { statusCode, responseParameters, responseTemplates } = mock.responses.default;
      expect(statusCode).toBe("404");
      expect(responseParameters).toEqual({ "method.response.header.X-Request-Id": "context.requestId" });
      expect(JSON.parse(responseTemplates["application/json"])).toEqual({
        status: "error",
        code: "NOT_FOUND",
        message: "There is no such operation: check method and path.",
        requestId: "$context.requestId",
      });
      expect(Object.keys(responses[404].headers)).toEqual(["X-Request-Id"]);
    });

    test("gives the functions the bytes of each body", () => {
      expect(document["x-amazon-apigateway-binary-media-types"]).toEqual(["*/*"]);
    });

    test("is reachable only through its custom domain", () => {
      expect(restApi.Properties).toMatchObject({
        DisableExecuteApiEndpoint: true,
        EndpointConfiguration: { Types: ["REGIONAL"] },
        Parameters: { endpointConfigurationTypes: "REGIONAL" },
      });
      // On an import, the property alone has no effect.
      const [server] = document.servers;
      expect(server["x-amazon-apigateway-endpoint-configuration"]).toEqual({
        disableExecuteApiEndpoint: true,
      });
      expect(JSON.stringify(service.toJSON().Outputs)).not.toContain("execute-api");
    });

    test("throttles, and keeps no request, response or path in logs and traces", () => {
      const [, stage] = resource(service, "AWS::ApiGateway::Stage", id);
      const { requestsPerSecond, burst } = readSettings(name).throttle;
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

/** The answers that an API may change. */
const changeable = [
  "ACCESS_DENIED API_CONFIGURATION_ERROR AUTHORIZER_CONFIGURATION_ERROR AUTHORIZER_FAILURE BAD_REQUEST_BODY",
  "BAD_REQUEST_PARAMETERS DEFAULT_4XX DEFAULT_5XX EXPIRED_TOKEN INTEGRATION_FAILURE INTEGRATION_TIMEOUT",
  "INVALID_API_KEY INVALID_SIGNATURE MISSING_AUTHENTICATION_TOKEN QUOTA_EXCEEDED REQUEST_TOO_LARGE",
  "RESOURCE_NOT_FOUND THROTTLED UNAUTHORIZED UNSUPPORTED_MEDIA_TYPE WAF_FILTERED",
].flatMap((line) => line.split(" "));

describe.each(resourcesOf(synthesized("staging"), "AWS::ApiGateway::RestApi"))(
  "gateway responses of %s",
  (_, { Properties }) => {
    // biome-ignore lint/suspicious/noExplicitAny: each assertion says what it expects.
    const answers = new Map<string, any>(
      Object.entries(Properties.Body["x-amazon-apigateway-gateway-responses"]),
    );

    test("all are JSON in the specification's envelope, with X-Request-Id", () => {
      expect(answers.size).toBeGreaterThan(10);
      for (const type of answers.keys()) expect(changeable).toContain(type);
      for (const { responseTemplates, responseParameters } of answers.values()) {
        expect(responseParameters).toEqual({ "gatewayresponse.header.X-Request-Id": "context.requestId" });
        expect(Object.keys(responseTemplates)).toEqual(["application/json"]);
        expect(JSON.parse(responseTemplates["application/json"])).toEqual({
          status: "error",
          code: expect.any(String),
          message: expect.any(String),
          requestId: "$context.requestId",
        });
      }
    });

    test("a denial contains the authorizer's code and message", () => {
      expect(answers.get("ACCESS_DENIED")).toMatchObject({ statusCode: "403" });
      expect(JSON.parse(answers.get("ACCESS_DENIED")?.responseTemplates["application/json"])).toMatchObject({
        code: "$context.authorizer.code",
        message: "$context.authorizer.message",
      });
    });

    test.each([
      ["UNAUTHORIZED", "401", "API_KEY_INVALID"],
      ["REQUEST_TOO_LARGE", "413", "PAYLOAD_TOO_LARGE"],
      ["THROTTLED", "429", "RATE_LIMITED"],
      ["WAF_FILTERED", "403", "REQUEST_BLOCKED"],
      ["QUOTA_EXCEEDED", "429", "RATE_LIMITED"],
      ["INVALID_API_KEY", "503", "UNAVAILABLE"],
      ["AUTHORIZER_FAILURE", "503", "UNAVAILABLE"],
      ["AUTHORIZER_CONFIGURATION_ERROR", "503", "UNAVAILABLE"],
      ["INTEGRATION_TIMEOUT", "503", "UNAVAILABLE"],
    ] as const)("%s is %s %s", (type, status, code) => {
      const answer = answers.get(type);
      expect(answer?.statusCode).toBe(status);
      expect(JSON.parse(answer?.responseTemplates["application/json"])).toMatchObject({
        code,
        message: errorCatalogue[code].message,
      });
    });

    test.each(["MISSING_AUTHENTICATION_TOKEN", "RESOURCE_NOT_FOUND", "UNSUPPORTED_MEDIA_TYPE"])(
      "%s says that there is no such operation, as the fallback does",
      (type) => {
        const { statusCode, responseTemplates } = answers.get(type) ?? {};
        expect([statusCode, responseTemplates?.["application/json"]]).toEqual(["404", unknownOperation]);
      },
    );

    test("a path that cannot be decoded is no fault of a body", () => {
      expect(answers.get("DEFAULT_4XX")?.responseTemplates["application/json"]).toContain(
        "not well-formed HTTP",
      );
    });

    test.each(["DEFAULT_4XX", "DEFAULT_5XX"])("%s keeps the gateway's status", (type) => {
      expect(answers.get(type)).toBeDefined();
      expect(answers.get(type)).not.toHaveProperty("statusCode");
    });
  },
);
