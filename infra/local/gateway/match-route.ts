import type { Domain, Method, PathNode, RestApi } from "./rest-api.ts";

export interface MatchedRoute {
  node: PathNode;
  method: Method;
  /** Decoded. */
  pathParameters: Record<string, string> | null;
}

/** The API below the longest base path that the path starts with, and the rest of the path. */
export function matchBasePath(
  domain: Domain,
  path: string,
): { api: RestApi; resourcePath: string } | undefined {
  for (const { basePath, api } of domain.mappings) {
    const prefix = basePath === "" ? "" : `/${basePath}`;
    if (path === prefix || path.startsWith(`${prefix}/`))
      return { api, resourcePath: path.slice(prefix.length) || "/" };
  }
  return undefined;
}

/**
 * The method for a path: literal parts before parameters before the greedy rest. A resource without the method is passed
 * over, so that a `{proxy+}` with `ANY` answers for every method and path that nothing else takes.
 */
export function matchRoute(api: RestApi, httpMethod: string, resourcePath: string): MatchedRoute | undefined {
  // A slash at the end makes no difference to the gateway.
  const trimmed = resourcePath.replace(/\/$/, "");
  const parts = trimmed === "" ? [] : trimmed.slice(1).split("/");
  for (const { node, parameters } of candidates(api.root, parts, {})) {
    const method = node.methods.get(httpMethod) ?? node.methods.get("ANY");
    if (method === undefined) continue;
    const decoded = Object.entries(parameters).map(([name, value]) => [name, decodeURIComponent(value)]);
    return { node, method, pathParameters: decoded.length === 0 ? null : Object.fromEntries(decoded) };
  }
  return undefined;
}

type Parameters = Record<string, string>;

function* candidates(
  node: PathNode,
  parts: string[],
  parameters: Parameters,
): Generator<{ node: PathNode; parameters: Parameters }> {
  const [part, ...rest] = parts;
  if (part === undefined) {
    yield { node, parameters };
    return;
  }
  const literal = node.literals.get(part);
  if (literal !== undefined) yield* candidates(literal, rest, parameters);
  if (node.parameter !== undefined && part !== "") {
    yield* candidates(node.parameter.node, rest, { ...parameters, [node.parameter.name]: part });
  }
  if (node.greedy !== undefined) {
    yield { node: node.greedy.node, parameters: { ...parameters, [node.greedy.name]: parts.join("/") } };
  }
}
