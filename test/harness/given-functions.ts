import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { listen } from "./listen.ts";

export type Functions = (name: string, input: Record<string, unknown>) => Promise<unknown>;

/** Lambda's HTTP interface until the test ends. Returns the variables of a process that invokes. */
export async function givenFunctions(invoked: Functions): Promise<Record<string, string>> {
  const answer = async (request: IncomingMessage) => {
    const [, name = ""] = /functions\/([^/]+)\/invocations/.exec(request.url ?? "") ?? [];
    return invoked(name, JSON.parse(await text(request)));
  };
  const server = createServer((request, response) => {
    if (request.headers["x-amz-invocation-type"] === "DryRun") {
      response.writeHead(204).end();
      return;
    }
    answer(request).then(
      (output) => response.end(JSON.stringify(output)),
      () => response.writeHead(500).end("{}"),
    );
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    AWS_ENDPOINT_URL_LAMBDA: await listen(server),
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    VAULT_FUNCTION: "vault",
    PROCESSOR_FUNCTION: "processor",
  };
}
