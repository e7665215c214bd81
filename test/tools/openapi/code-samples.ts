/** What a sample shows of an operation. */
export interface Sampled {
  readonly method: string;
  /** With the sandbox's prefix, and parameters in braces. */
  readonly path: string;
  /** Names of the query's parameters that cannot be left out. */
  readonly query: readonly string[];
  readonly isKeyed: boolean;
  /** The recorded body: an object, or the text of JSON lines. */
  readonly body?: unknown;
}

/**
 * The request by curl, in the shell of docs/calling.md, and by the typed client. Ids of the path
 * are variables of their names.
 */
export function codeSamples(operation: Sampled) {
  return [
    { lang: "Shell", label: "curl", source: byCurl(operation) },
    { lang: "TypeScript", label: "TypeScript", source: byClient(operation) },
  ];
}

function byCurl({ method, path, query, isKeyed, body }: Sampled): string {
  const search = query.map((name) => `${name}=$${name}`).join("&");
  const place = `${path.replaceAll(/\{(\w+)\}/g, "$$$1")}${search && `?${search}`}`;
  const isLines = typeof body === "string";
  const sent = isLines ? body : JSON.stringify(body, null, 2);
  return [
    'curl --cacert "$ca" --cert "$cert" --key "$key"',
    `-H "X-API-Key: ${path.startsWith("/account") ? "$tenantApiKey" : "$apiKey"}"`,
    ...(isKeyed ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    `-X ${method} "$baseUrl${place}"`,
    ...(sent === undefined
      ? []
      : [
          `-H "Content-Type: application/${isLines ? "x-ndjson" : "json"}"`,
          `--data-binary '${sent.replaceAll("'", String.raw`'\''`)}'`,
        ]),
  ].join(" \\\n  ");
}

function byClient({ method, path, query, body }: Sampled): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const parameters = [
    ...(names.length > 0 ? [`path: { ${names.join(", ")} }`] : []),
    ...(query.length > 0 ? [`query: { ${query.join(", ")} }`] : []),
  ];
  const lines = typeof body === "string" && body.split("\n").map((line) => `    ${line},`);
  const parts = [
    ...(parameters.length > 0 ? [`params: { ${parameters.join(", ")} }`] : []),
    ...(lines ? [`...jsonLines([\n${lines.join("\n")}\n  ])`] : []),
    ...(body !== undefined && !lines
      ? [`body: ${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")}`]
      : []),
  ];
  const options = parts.length > 0 ? `, {\n  ${parts.join(",\n  ")},\n}` : "";
  return `const answer = await unwrap(client.${method}("${path}"${options}));`;
}
