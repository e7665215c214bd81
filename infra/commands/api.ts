import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { declareCommand, runCommand } from "../command-line/command.ts";
import { ApiConnection } from "../command-line/connection.ts";
import { findConnectionFile, parseJson, readConnectionFile } from "../command-line/connection-file.ts";
import { text, texts, UsageError } from "../command-line/options.ts";

export const command = declareCommand({
  name: "api",
  summary: "sends one request to the API, with the certificate and key of a connection file",
  takes: [
    { name: "method", about: "one of", choices: ["GET", "POST", "PUT", "DELETE"] },
    { name: "path", about: "such as '/cards?limit=5', in quotes" },
    { name: "body", about: "JSON, or @ and a file", is: "optional" },
  ],
  options: {
    header: texts("<name: value>", "a header, such as 'Idempotency-Key: order-7'"),
    connection: text("<file>", "default: .local/connection.json, or that of LOCAL_DIR"),
  },
  notes: `Paths below /account are called with the Tenant's key, others with the Program's.
The status is printed on standard error, the answer on standard output.`,
  failsIf: "the answer is an error",
  run: async ({ words: [method = "", path = "", body], options }) => {
    const { send } = await import("../../client/src/send.ts");
    const connection = readConnectionFile(findConnectionFile(options.connection), ApiConnection);
    if (!path.startsWith("/")) throw new UsageError(`The path is "${path}"; it must begin with a slash.`);
    const content = body?.startsWith("@") ? readBody(body.slice(1)) : body;
    const headers = new Headers(options.header.map(readHeader));
    headers.set("X-API-Key", keyFor(path, connection));
    if (content !== undefined && !headers.has("Content-Type"))
      headers.set("Content-Type", "application/json");
    const { cert, key, ca } = connection;
    const [ownCert, ownKey] = [readFileSync(cert), readFileSync(key)];
    const agent = new Agent({ cert: ownCert, key: ownKey, ...(ca && { ca: readFileSync(ca) }) });
    const request = new Request(toUrl(path, connection), {
      method,
      headers,
      ...(content && { body: content }),
    });
    const answer = await send(request, agent);
    agent.destroy();
    console.error(answer.status);
    const received = Buffer.from(await answer.arrayBuffer());
    const json = parseJson(received.toString());
    process.stdout.write(json === undefined ? received : `${JSON.stringify(json, null, 2)}\n`);
    if (answer.status === 404) {
      const { describeUnknown } = await import("./api/nearest-operation.ts");
      const unknown = describeUnknown(method, path);
      if (unknown !== undefined) console.error(unknown);
    }
    return answer.ok;
  },
});

function readBody(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(
      `The body's file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
}

function readHeader(given: string): [string, string] {
  const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(given) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`--header is "${given}"; it must be a name, a colon and a value.`);
  return [name, value];
}

function toUrl(path: string, { baseUrl, sandboxUrl }: ApiConnection): string {
  const [, ofSandbox] = /^\/sandbox(\/.*)$/.exec(path) ?? [];
  return ofSandbox === undefined ? baseUrl + path : (sandboxUrl ?? `${baseUrl}/sandbox`) + ofSandbox;
}

function keyFor(path: string, { programApiKey, tenantApiKey }: ApiConnection): string {
  if (!/^\/account(?:[/?]|$)/.test(path)) return programApiKey;
  if (tenantApiKey === undefined) throw new UsageError("The connection file has no tenantApiKey.");
  return tenantApiKey;
}

if (import.meta.main) await runCommand(command);
