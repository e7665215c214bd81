import { type Assembly, isObject, type Resource, TemplateError } from "../template.ts";
import { checkTemplate } from "./answer.ts";

export interface RestApi {
  id: string;
  stage: string;
  deploymentId: string;
  /** Whether functions get bodies in base64. */
  isBinary: boolean;
  root: PathNode;
  /** By response type, such as `ACCESS_DENIED` or `DEFAULT_4XX`. */
  gatewayResponses: Map<string, GatewayResponse>;
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
  /** By the key from the authorizer. */
  isMetered: boolean;
  integration: ProxyIntegration | MockIntegration;
}

export interface ProxyIntegration {
  kind: "proxy";
  functionArn: string;
  timeoutMs: number;
}

export interface MockIntegration {
  kind: "mock";
  contentTypes: string[];
  response: { status: number; headers: Record<string, string>; template: string };
}

interface GatewayResponse {
  status: number | undefined;
  headers: Record<string, string>;
  template: string | undefined;
}

export interface Domain {
  name: string;
  /** Else it is served over plain HTTP, on a port of its own. */
  needsCertificate: boolean;
  mappings: { basePath: string; api: RestApi }[];
}

const integrationTimeoutMs = 29_000;

/** Throws TemplateError for unsupported settings. */
export function readDomains(assembly: Assembly): Domain[] {
  const apis = new Map(
    assembly.ofType("AWS::ApiGateway::RestApi").map((api) => [api.physicalName, readApi(api, assembly)]),
  );
  const domains = assembly.ofType("AWS::ApiGateway::DomainName").map((domain): Domain => {
    expect(domain, "SecurityPolicy", ["TLS_1_2"]);
    const needsCertificate = isObject(domain.properties.MutualTlsAuthentication);
    return { name: domain.physicalName, needsCertificate, mappings: [] };
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
  const own = (type: string) =>
    assembly.ofType(type).filter(({ properties }) => properties.RestApiId === api.physicalName);
  const [stage, ...moreStages] = own("AWS::ApiGateway::Stage");
  if (stage === undefined || moreStages.length > 0) throw fault(api, "it must have exactly one stage");
  expect(api, "DisableExecuteApiEndpoint", [true]);
  const methods = own("AWS::ApiGateway::Method");
  // With another key source, the gateway would accept a client's own header.
  if (methods.some(({ properties }) => properties.ApiKeyRequired === true))
    expect(api, "ApiKeySourceType", ["AUTHORIZER"]);
  const nodes = readPaths(own("AWS::ApiGateway::Resource"));
  const authorizers = own("AWS::ApiGateway::Authorizer");
  for (const method of methods) {
    const node = nodes.byId.get(String(method.properties.ResourceId)) ?? nodes.root;
    node.methods.set(String(method.properties.HttpMethod), readMethod(method, authorizers));
  }
  const { StageName, DeploymentId } = stage.properties;
  return {
    id: api.physicalName,
    stage: String(StageName),
    deploymentId: String(DeploymentId),
    isBinary: readBinary(api),
    root: nodes.root,
    gatewayResponses: new Map(own("AWS::ApiGateway::GatewayResponse").map(readGatewayResponse)),
  };
}

/** Every media type, or none. */
function readBinary(api: Resource): boolean {
  const { BinaryMediaTypes: types } = api.properties;
  if (types === undefined) return false;
  if (JSON.stringify(types) !== '["*/*"]') throw fault(api, "only the BinaryMediaTypes */* are supported");
  return true;
}

/** A parent that is not in the template is the API's root, which API Gateway creates. */
function readPaths(resources: Resource[]): { root: PathNode; byId: Map<string, PathNode> } {
  const rootId = resources
    .map(({ properties }) => String(properties.ParentId))
    .find((id) => resources.every((own) => own.physicalName !== id));
  const newNode = (resourceId: string, path: string): PathNode => ({
    resourceId,
    path,
    methods: new Map(),
    literals: new Map(),
  });
  const root = newNode(rootId ?? "root", "/");
  const byId = new Map<string, PathNode>();
  const nodeOf = (id: string): PathNode => {
    const known = byId.get(id);
    const resource = resources.find(({ physicalName }) => physicalName === id);
    if (known !== undefined || resource === undefined) return known ?? root;
    const parent = nodeOf(String(resource.properties.ParentId));
    const part = String(resource.properties.PathPart);
    const node = newNode(id, `${parent === root ? "" : parent.path}/${part}`);
    byId.set(id, node);
    const [, name, greedy] = /^\{([^}+]+)(\+?)\}$/.exec(part) ?? [];
    if (name === undefined) parent.literals.set(part, node);
    else if (greedy) parent.greedy = { name, node };
    else parent.parameter = { name, node };
    return node;
  };
  for (const { physicalName } of resources) nodeOf(physicalName);
  return { root, byId };
}

function readMethod(method: Resource, authorizers: Resource[]): Method {
  expect(method, "AuthorizationType", ["CUSTOM", "NONE"]);
  const { AuthorizationType, AuthorizerId, Integration } = method.properties;
  const authorizer = authorizers.find(({ physicalName }) => physicalName === AuthorizerId);
  if (AuthorizationType === "CUSTOM" && authorizer === undefined)
    throw fault(method, "its authorizer is not in the template");
  if (!isObject(Integration)) throw fault(method, "Integration is missing");
  return {
    isMetered: method.properties.ApiKeyRequired === true,
    authorizerArn: AuthorizationType === "CUSTOM" && authorizer ? readAuthorizer(authorizer) : undefined,
    integration: Integration.Type === "MOCK" ? readMock(method, Integration) : readProxy(method, Integration),
  };
}

/** Rejects cached verdicts and identity sources, because they change who gets in. */
function readAuthorizer(authorizer: Resource): string {
  expect(authorizer, "Type", ["REQUEST"]);
  expect(authorizer, "IdentitySource", [undefined]);
  expect(authorizer, "AuthorizerResultTtlInSeconds", [0]);
  return functionArn(authorizer, authorizer.properties.AuthorizerUri);
}

function readProxy(method: Resource, integration: Record<string, unknown>): ProxyIntegration {
  if (integration.Type !== "AWS_PROXY")
    throw fault(method, `Integration.Type ${String(integration.Type)} is not known`);
  const timeoutMs = Number(integration.TimeoutInMillis ?? integrationTimeoutMs);
  return { kind: "proxy", functionArn: functionArn(method, integration.Uri), timeoutMs };
}

/** Reads the only supported mock: one JSON response with the request template's status. */
function readMock(method: Resource, integration: Record<string, unknown>): MockIntegration {
  const responses = [integration.IntegrationResponses].flat().filter(isObject);
  const [response, ...more] = responses;
  // A mock reads its template as text: of a binary media type it would fail.
  expectText(method, integration);
  if (integration.PassthroughBehavior !== "NEVER" || response === undefined || more.length > 0)
    throw fault(method, "a mock needs PassthroughBehavior NEVER and one response");
  const template = String(strings(response.ResponseTemplates)["application/json"] ?? "");
  return {
    kind: "mock",
    contentTypes: Object.keys(strings(integration.RequestTemplates)),
    response: {
      status: Number(response.StatusCode),
      headers: headersOf(method, response.ResponseParameters, "method.response.header."),
      template: checkTemplate(template, method.logicalId),
    },
  };
}

function expectText(method: Resource, { ContentHandling }: Record<string, unknown>): void {
  if (![undefined, "CONVERT_TO_TEXT"].includes(ContentHandling as undefined))
    throw fault(method, `ContentHandling ${String(ContentHandling)} is not known`);
}

function readGatewayResponse(response: Resource): [string, GatewayResponse] {
  const { ResponseType, StatusCode, ResponseParameters, ResponseTemplates } = response.properties;
  const template = strings(ResponseTemplates)["application/json"];
  return [
    String(ResponseType),
    {
      status: StatusCode === undefined ? undefined : Number(StatusCode),
      headers: headersOf(response, ResponseParameters, "gatewayresponse.header."),
      template: template === undefined ? undefined : checkTemplate(template, response.logicalId),
    },
  ];
}

/** Supports only `'literal'` and `context.…`, by header name. */
function headersOf(resource: Resource, parameters: unknown, prefix: string): Record<string, string> {
  const entries = Object.entries(strings(parameters));
  const unknown = entries.find(
    ([name, value]) => !name.startsWith(prefix) || !/^('[^']*'|context\.[\w.]+)$/.test(value),
  );
  if (unknown !== undefined)
    throw fault(resource, `the parameter ${unknown.join(": ")} is not known to the local target`);
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length), value]));
}

function functionArn(resource: Resource, uri: unknown): string {
  const [, arn] = /\/functions\/(arn:[^/]+)\/invocations$/.exec(String(uri)) ?? [];
  if (arn === undefined) throw fault(resource, `the URI ${String(uri)} is no function's`);
  return arn;
}

function strings(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, String(item)]));
}

function expect(resource: Resource, property: string, allowed: unknown[]): void {
  const value = resource.properties[property];
  if (!allowed.includes(value))
    throw fault(resource, `${property} ${JSON.stringify(value)} is not known to the local target`);
}

function fault(resource: Resource, reason: string): TemplateError {
  return new TemplateError(`${resource.stack}/${resource.logicalId} (${resource.type}): ${reason}`);
}
