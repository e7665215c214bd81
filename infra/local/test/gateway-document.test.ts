import { afterAll, describe, expect, it } from "vitest";
import { readAssembly } from "../assembly.ts";
import { readDomains } from "../gateway/rest-api.ts";
import { gatewayDocument, gatewayTemplate } from "./gateway-template.ts";
import { givenAssembly, removeTemporaryDirectories } from "./given-assembly.ts";

type Document = ReturnType<typeof gatewayDocument>;
const [cards, integration] = ["/cards", "x-amazon-apigateway-integration"] as const;

afterAll(removeTemporaryDirectories);

function read(change: (document: Document) => object): void {
  const document = gatewayDocument();
  const directory = givenAssembly({ service: gatewayTemplate({ ...document, ...change(document) }) });
  readDomains(readAssembly(directory, { parameters: {}, queueEndpoint: "http://127.0.0.1:1" }));
}

const withPath = (path: string, names: string[] = []) => {
  return ({ paths }: Document) => {
    const parameters = names.map((name) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    }));
    return { paths: { ...paths, [path]: { get: { ...paths[cards]?.get, parameters } } } };
  };
};
const withOperation = (change: object) => {
  return ({ paths }: Document) => ({
    paths: { ...paths, [cards]: { get: { ...paths[cards]?.get, ...change } } },
  });
};
const withIntegration = (change: object) => {
  return (document: Document) =>
    withOperation({ [integration]: { ...document.paths[cards]?.get?.[integration], ...change } })(document);
};
const withAuthorizer = (change: object) => {
  return ({ components: { securitySchemes } }: Document) => {
    const { authorizer } = securitySchemes;
    const changed = { ...authorizer["x-amazon-apigateway-authorizer"], ...change };
    const own = { ...authorizer, "x-amazon-apigateway-authorizer": changed };
    return { components: { securitySchemes: { ...securitySchemes, authorizer: own } } };
  };
};

const withAnswer = (THROTTLED: object) => () => ({
  "x-amazon-apigateway-gateway-responses": { THROTTLED },
});

describe("an API's document", () => {
  it("is read with all that it is allowed to have", () => {
    expect(() => read(() => ({}))).not.toThrow();
    expect(() => read(withPath("/a_b-c.d,e:f/{one}/{two}", ["one", "two"]))).not.toThrow();
  });

  it.each([
    ["a version that is not imported", () => ({ openapi: "3.1.1" }), /openapi/],
    [
      "security for all, which an import ignores",
      () => ({ security: [{ authorizer: [] }] }),
      /security is not a field/,
    ],
    [
      "schemas, which it would have to keep",
      () => ({ components: { schemas: {} } }),
      /schemas is not a field/,
    ],
    ["an endpoint of API Gateway's own", () => ({ servers: [{ url: "/" }] }), /endpoint-configuration/],
    ["no servers", () => ({ servers: undefined }), /servers/],
    ["media types of its own", () => ({ "x-amazon-apigateway-binary-media-types": ["a/b"] }), /media-types/],
    [
      "an answer in the template language",
      withAnswer({ responseTemplates: { "application/json": "#if($context.path)a#end" } }),
      /template/,
    ],
    [
      "a header from elsewhere",
      withAnswer({ responseParameters: { "gatewayresponse.header.X": "method.request.header.Origin" } }),
      /gatewayresponse.header.X/,
    ],
    ["a security scheme that is not defined", withOperation({ security: [{ other: [] }] }), /scheme other/],
    ["a method without an integration", withOperation({ [integration]: undefined }), /integration/],
    [
      "a method that is none",
      ({ paths }: Document) => ({ paths: { "/x": { fetch: paths[cards]?.get } } }),
      /x/,
    ],
    ["an invocation by GET", withIntegration({ httpMethod: "GET" }), /POST/],
    ["more than 29 seconds for an answer", withIntegration({ timeoutInMillis: 29_001 }), /29000/],
    ["an integration of another type", withIntegration({ type: "http_proxy" }), /type/],
    ["an answer that streams", withIntegration({ responseTransferMode: "STREAM" }), /responseTransferMode/],
    ["a function that is none", withIntegration({ uri: "https://a.example" }), /no function's/],
    ["verdicts that are cached", withAuthorizer({ authorizerResultTtlInSeconds: 300 }), /securitySchemes/],
    ["an identity source", withAuthorizer({ identitySource: "method.request.header.a" }), /securitySchemes/],
  ])("is refused with %s", (_name, change, reason) => {
    expect(() => read(change)).toThrow(reason);
  });
});
