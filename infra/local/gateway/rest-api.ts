import { z } from "zod";
import { derivedId } from "../physical-names.ts";
import { type Assembly, isObject, type Resource, readProperties, TemplateError } from "../template.ts";
import {
  type ApiDocument,
  apiDocument,
  type GatewayResponse,
  type MockIntegration,
  type Operation,
  type ProxyIntegration,
} from "./api-document.ts";

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

/** Throws for unsupported settings, and for a document that API Gateway would not import. */
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

const pathLimit = 300;
const segment = /^([\w.,:-]+|\{[\w.-]+\+?\})$/;
/** API Gateway answers them itself. */
const reserved = ["/ping", "/sping"];

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
    if (!segment.test(part) || reserved.includes(node.path))
      throw fault(api, `API Gateway takes no path ${node.path}`);
    if (/\+\}$/.test(parent.path)) throw fault(api, `${parent.path} takes the rest of the path`);
    const [, name, greedy] = /^\{([^}+]+)(\+?)\}$/.exec(part) ?? [];
    if (name === undefined) return void parent.literals.set(part, node);
    const kind = greedy ? "greedy" : "parameter";
    const sibling = parent[kind];
    if (sibling !== undefined)
      throw fault(api, `${node.path} has a sibling with the parameter {${sibling.name}}`);
    parent[kind] = { name, node };
  };
  const root = findNode("/");
  for (const [path, item] of Object.entries(document.paths)) {
    const { methods } = findNode(path);
    for (const [key, operation] of Object.entries(item)) {
      if (operation === undefined) continue;
      const name = key === "x-amazon-apigateway-any-method" ? "ANY" : key.toUpperCase();
      checkParameters(api, `${name} ${path}`, operation);
      methods.set(name, readMethod(api, `${name} ${path}`, operation, document));
    }
  }
  if (all.size > pathLimit) throw fault(api, `API Gateway takes ${pathLimit} paths, and it has ${all.size}`);
  return root;
}

/** An import refuses a parameter of the path that the operation does not declare. */
function checkParameters(api: Resource, route: string, { parameters }: Operation): void {
  const used = [...route.matchAll(/\{([^}+]+)\+?\}/g)].map(([, name]) => name);
  const declared = parameters.map(({ name }) => name);
  if (used.join() !== declared.join())
    throw fault(api, `${route} declares the parameters ${JSON.stringify(declared)}`);
}

function readMethod(api: Resource, route: string, operation: Operation, document: ApiDocument): Method {
  const names = operation.security.flatMap((one) => Object.keys(one));
  const schemes = names.map((name) => {
    const scheme = document.components.securitySchemes[name];
    if (scheme === undefined) throw fault(api, `${route}: there is no security scheme ${name}`);
    return scheme;
  });
  const isMetered = schemes.some(({ name }) => name === "x-api-key");
  if (isMetered && document["x-amazon-apigateway-api-key-source"] === undefined)
    throw fault(api, "without an x-amazon-apigateway-api-key-source, it takes a client's own key");
  const [authorizerArn] = schemes.flatMap((scheme) =>
    "x-amazon-apigateway-authorizer" in scheme ? scheme["x-amazon-apigateway-authorizer"].authorizerUri : [],
  );
  return { authorizerArn, isMetered, integration: operation["x-amazon-apigateway-integration"] };
}

function fault(resource: Resource, reason: string): TemplateError {
  return new TemplateError(`${resource.stack}/${resource.logicalId} (${resource.type}): ${reason}`);
}
