import { z } from "zod";
import { derivedId } from "../physical-names.ts";
import { type Assembly, isObject, type Resource, readProperties, TemplateError } from "../template.ts";

export interface RestApi {
  id: string;
  stage: string;
  deploymentId: string;
  /** Whether functions get bodies in base64. */
  isBinary: boolean;
  root: PathNode;
  /** Each response type has its own, such as `ACCESS_DENIED` or `DEFAULT_4XX`. */
  gatewayResponses: Readonly<Partial<Record<string, GatewayResponse>>>;
}

export interface PathNode {
  resourceId: string;
  path: string;
  methods: Map<string, Method>;
  literals: Map<string, PathNode>;
  parameter?: { name: string; node: PathNode };
  /** `{name+}`: the rest of the path. */
  greedy?: { name: string; node: PathNode };
}

export interface Method {
  authorizerArn: string | undefined;
  /** Whether it is metered by the key from the authorizer. */
  isMetered: boolean;
  integration: ProxyIntegration | MockIntegration;
}

export interface Domain {
  name: string;
  /** Else it is served over plain HTTP, on a port of its own. */
  needsCertificate: boolean;
  mappings: { basePath: string; api: RestApi }[];
}

/**
 * Throws for unsupported settings. Whether API Gateway imports the document otherwise is a test of
 * the templates.
 */
export function readDomains(assembly: Assembly): Domain[] {
  const apis = new Map(
    assembly.ofType("AWS::ApiGateway::RestApi").map((api) => [api.physicalName, readApi(api, assembly)]),
  );
  const domains = assembly.ofType("AWS::ApiGateway::DomainName").map((domain): Domain => {
    const { SecurityPolicy, MutualTlsAuthentication } = domain.properties;
    if (SecurityPolicy !== "TLS_1_2") throw fault(domain, `SecurityPolicy ${SecurityPolicy} is not known`);
    return { name: domain.physicalName, needsCertificate: isObject(MutualTlsAuthentication), mappings: [] };
  });
  for (const mapping of assembly.ofType("AWS::ApiGatewayV2::ApiMapping")) {
    const { ApiId, ApiMappingKey, DomainName, Stage } = mapping.properties;
    const domain = domains.find(({ name }) => name === DomainName);
    const api = apis.get(String(ApiId));
    if (domain === undefined || api === undefined || api.stage !== Stage) {
      throw fault(mapping, "the domain, API or stage is not in the template");
    }
    domain.mappings.push({ basePath: String(ApiMappingKey ?? ""), api });
  }
  for (const { mappings } of domains) mappings.sort((a, b) => b.basePath.length - a.basePath.length);
  return domains;
}

function readApi(api: Resource, assembly: Assembly): RestApi {
  const [stage, ...moreStages] = assembly
    .ofType("AWS::ApiGateway::Stage")
    .filter(({ properties }) => properties.RestApiId === api.physicalName);
  if (stage === undefined || moreStages.length > 0) throw fault(api, "it must have exactly one stage");
  const { StageName, DeploymentId } = stage.properties;
  const { Body } = readProperties(api, z.object({ Body: apiDocument }));
  return {
    id: api.physicalName,
    stage: String(StageName),
    deploymentId: String(DeploymentId),
    isBinary: Body["x-amazon-apigateway-binary-media-types"] !== undefined,
    root: readPaths(api, Body),
    gatewayResponses: Body["x-amazon-apigateway-gateway-responses"],
  };
}

function readPaths(api: Resource, document: ApiDocument): PathNode {
  const all = new Map<string, PathNode>();
  const findNode = (path: string): PathNode => {
    const known = all.get(path);
    if (known !== undefined) return known;
    const resourceId = derivedId({ stackName: api.stack, logicalId: `${api.logicalId}${path}` }, 6);
    const node = { resourceId, path, methods: new Map(), literals: new Map() };
    all.set(path, node);
    if (path === "/") return node;
    const end = path.lastIndexOf("/");
    join(findNode(path.slice(0, end) || "/"), path.slice(end + 1), node);
    return node;
  };
  const join = (parent: PathNode, part: string, node: PathNode) => {
    const [, name, greedy] = /^\{([^}+]+)(\+?)\}$/.exec(part) ?? [];
    if (name === undefined) parent.literals.set(part, node);
    else parent[greedy ? "greedy" : "parameter"] = { name, node };
  };
  const root = findNode("/");
  for (const [path, item] of Object.entries(document.paths)) {
    const { methods } = findNode(path);
    for (const [key, operation] of Object.entries(item)) {
      if (operation === undefined) continue;
      const name = key === "x-amazon-apigateway-any-method" ? "ANY" : key.toUpperCase();
      methods.set(name, readMethod(api, `${name} ${path}`, operation, document));
    }
  }
  return root;
}

function readMethod(api: Resource, route: string, operation: Operation, document: ApiDocument): Method {
  const names = operation.security.flatMap((one) => Object.keys(one));
  const schemes = names.map((name) => {
    const scheme = document.components.securitySchemes[name];
    if (scheme === undefined) throw fault(api, `${route}: there is no security scheme ${name}`);
    return scheme;
  });
  const isMetered = schemes.some(({ name }) => name === "x-api-key");
  const [authorizerArn] = schemes.flatMap((scheme) =>
    "x-amazon-apigateway-authorizer" in scheme ? scheme["x-amazon-apigateway-authorizer"].authorizerUri : [],
  );
  return { authorizerArn, isMetered, integration: operation["x-amazon-apigateway-integration"] };
}

function fault(resource: Resource, reason: string): TemplateError {
  return new TemplateError(`${resource.stack}/${resource.logicalId} (${resource.type}): ${reason}`);
}

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

/**
 * What API Gateway imports, as far as it is emulated. The rest is refused: API Gateway refuses it
 * or drops it without a word, such as a document's own `security`, or it is not emulated.
 */
const apiDocument = z.strictObject({
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
  "x-amazon-apigateway-gateway-responses": z.record(z.string(), gatewayResponse).default({}),
});

type ApiDocument = z.output<typeof apiDocument>;
type GatewayResponse = z.output<typeof gatewayResponse>;
type Operation = z.output<typeof operation>;
export type ProxyIntegration = z.output<typeof proxy>;
export type MockIntegration = z.output<typeof mock>;

/** Takes only plain variables, without the template language. */
function isPlainTemplate(template: string): boolean {
  return !/#(set|if|foreach|end|else)\b|\$(?!context\.)[a-zA-Z]+/.test(template);
}
