import { readFileSync } from "node:fs";
import { type Client, createClient, RequestRejectedError, unwrap } from "../../../client/src/card-issuing.ts";
import { errorCatalogue } from "../../../shared/contract/errors.ts";
import type { ApiConnection } from "../../command-line/connection.ts";
import { unknownArguments } from "./arguments.ts";
import { withoutSecrets } from "./secrets.ts";
import type { Tool } from "./tools.ts";

interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly isError?: true;
}

export type CallTool = (tool: Tool, given: Readonly<Record<string, unknown>>) => Promise<ToolResult>;

/** openapi-fetch's method for a path that is known only now. */
type AnyRequest = (
  method: string,
  path: string,
  init: object,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/** Calls the API with the key of each tool's level. */
export function connectCaller(connection: ApiConnection): { call: CallTool; close(): Promise<void> } {
  const { baseUrl, cert, key, ca, programApiKey, tenantApiKey } = connection;
  const clientWith = (apiKey: string) =>
    createClient({
      baseUrl,
      certificate: readFileSync(cert),
      key: readFileSync(key),
      apiKey,
      ...(ca !== undefined && { authority: readFileSync(ca) }),
    });
  const clients: Partial<Record<Tool["level"], Client>> = {
    program: clientWith(programApiKey),
    ...(tenantApiKey !== undefined && { tenant: clientWith(tenantApiKey) }),
  };
  return {
    call: async (tool, given) => {
      const client = clients[tool.level];
      if (client === undefined) return failed("The connection file has no tenantApiKey.");
      try {
        return succeeded(await callWith(client, tool, given));
      } catch (error) {
        return failed(toReason(error));
      }
    },
    close: async () => {
      await Promise.all(Object.values(clients).map((client) => client.close()));
    },
  };
}

/** As the platform says it. */
const invalid = `${errorCatalogue.VALIDATION_FAILED.status} VALIDATION_FAILED: ${errorCatalogue.VALIDATION_FAILED.message}`;

function callWith(client: Client, tool: Tool, given: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { method, path, pathNames, queryNames } = tool;
  const unknown = unknownArguments(tool.inputSchema, given);
  if (unknown.length > 0) throw new Error([invalid, ...unknown].join("\n"));
  const missing = pathNames.filter((name) => typeof given[name] !== "string" || given[name] === "");
  if (missing.length > 0) throw new Error(`${missing.join(", ")} is missing, or is not a text.`);
  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]));
  const request = client.request as unknown as AnyRequest;
  const params = { path: pick(pathNames), query: pick(queryNames) };
  return unwrap(
    request(method.toLowerCase(), path, { params, ...(tool.hasBody && { body: given.body ?? {} }) }),
  );
}

function succeeded(body: unknown): ToolResult {
  return { content: [{ type: "text", text: JSON.stringify(withoutSecrets(body)) }] };
}

function failed(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function toReason(error: unknown): string {
  if (error instanceof RequestRejectedError || !(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error.message : `The platform does not answer (${code}).`;
}
