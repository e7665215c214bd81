import { firstPurchase, keptVariables } from "./first-purchase.ts";
import type { Json } from "./schemas.ts";

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly $ref?: string;
  readonly description?: string;
  readonly example?: unknown;
}
interface Body {
  readonly content: Readonly<Record<string, { examples?: { recorded?: { value: unknown } } }>>;
}
interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<"200", Body>>;
}

/** A Postman collection (v2.1) of the document's operations: a folder for each tag. */
export function postmanCollection({ info, paths, tags }: Json): Json {
  const variables = new Set<string>(keptVariables);
  const operations = Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        tag: operation.tags[0],
        item: toItem(method.toUpperCase(), path, operation, variables),
      })),
  );
  const folders = (tags as { name: string; description: string }[]).map(({ name, description }) => ({
    name,
    description,
    item: operations.filter(({ tag }) => tag === name).map(({ item }) => item),
  }));
  const { title, version } = info as { title: string; version: string };
  return {
    info: {
      name: title,
      version,
      description: notice,
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: apiKey("programApiKey"),
    variable: [
      { key: "host", value: "localhost:8443" },
      { key: "programApiKey", value: "" },
      { key: "tenantApiKey", value: "" },
      ...[...variables].toSorted().map((key) => ({ key, value: "" })),
    ],
    item: [firstPurchase(), ...folders.filter(({ item }) => item.length > 0)],
  };
}

const notice =
  "Set `host` and the keys, and add the client certificate for the host in Postman's settings (Certificates). " +
  'On your machine, all are in `.local/connection.json`. The folder "First purchase" runs as it is, also by newman. Other requests take their ids from variables: set those that a request names.';

function apiKey(variable: string): Json {
  const value = (key: string, text: string) => ({ key, value: text, type: "string" });
  return {
    type: "apikey",
    apikey: [value("key", "X-API-Key"), value("value", `{{${variable}}}`), value("in", "header")],
  };
}

function toItem(method: string, path: string, operation: Operation, variables: Set<string>): Json {
  const { summary, description, parameters, requestBody, responses } = operation;
  const inPath = parameters.filter((one) => one.in === "path").map(({ name = "" }) => name);
  for (const name of inPath) variables.add(name);
  const query = parameters.filter((one) => one.in === "query");
  const segments = path.slice(1).replace(/\{(\w+)\}/g, ":$1");
  const [mediaType = "", content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const header = [
    ...(requestBody ? [{ key: "Content-Type", value: mediaType }] : []),
    ...(parameters.some(({ $ref }) => $ref) ? [{ key: "Idempotency-Key", value: "{{$guid}}" }] : []),
  ];
  const body = content?.examples?.recorded?.value;
  const answer = responses[200].content["application/json"]?.examples?.recorded?.value;
  const request = {
    method,
    description,
    header,
    ...(path.startsWith("/account") && { auth: apiKey("tenantApiKey") }),
    url: {
      raw: `https://{{host}}/v2/${segments}`,
      protocol: "https",
      host: ["{{host}}"],
      path: ["v2", ...segments.split("/")],
      query: query.map(({ name, description, example }) => ({
        key: name,
        value: String(example ?? ""),
        description,
        disabled: true,
      })),
      variable: inPath.map((key) => ({ key, value: `{{${key}}}` })),
    },
    ...(body !== undefined && {
      body: { mode: "raw", raw: withVariables(body, variables), options: { raw: { language: "json" } } },
    }),
  };
  const example = {
    name: "Success",
    originalRequest: request,
    status: "OK",
    code: 200,
    header: [{ key: "Content-Type", value: "application/json" }],
    body: JSON.stringify(answer, null, 2),
  };
  return { name: summary, request, response: [example], ...keepsId(method, path) };
}

/** The request that removes the endpoint, which comes later, names the one that was made. */
function keepsId(method: string, path: string): Json {
  if (method !== "POST" || path !== "/webhooks") return {};
  const set = 'pm.collectionVariables.set("webhookId", pm.response.json().data.webhookId);';
  const exec = ["if (pm.response.code === 200)", `  ${set}`];
  return { event: [{ listen: "test", script: { type: "text/javascript", exec } }] };
}

/** The recorded ids of other records become variables with the fields' names. */
function withVariables(body: unknown, variables: Set<string>): string {
  const named = (name: string, value: unknown) => {
    if (typeof value !== "string" || !/^[a-z]{3}_0{20}/.test(value)) return value;
    variables.add(name);
    return `{{${name}}}`;
  };
  return JSON.stringify(body, named, 2);
}
