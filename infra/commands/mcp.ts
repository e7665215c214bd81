import { declareCommand, runCommand } from "../command-line/command.ts";
import {
  connectionArgument,
  findConnectionFile,
  readConnectionFile,
} from "../command-line/connection-file.ts";

export const command = declareCommand({
  name: "mcp",
  summary: "serves the API's reads, and the sandbox where there is one, to a language model (MCP on stdio)",
  takes: [connectionArgument],
  notes: `Names, descriptions and schemas are the contract's. It changes nothing outside of the sandbox, and shows no secret.
docs/mcp.md says how to connect a client to it, and what is left out.`,
  run: async ({ words: [file] }) => {
    const { connectCaller } = await import("./mcp/caller.ts");
    const { ApiConnection } = await import("../command-line/connection.ts");
    const { toolsFor } = await import("./mcp/tools.ts");
    const connection = readConnectionFile(findConnectionFile(file), ApiConnection);
    const { serveTools } = await import("./mcp/serve.ts");
    const caller = connectCaller(connection);
    await serveTools(toolsFor(connection), caller.call);
    await caller.close();
    return true;
  },
});

if (import.meta.main) await runCommand(command);
