import { randomBytes } from "node:crypto";
import { untilStopped } from "../command-line/clean-up.ts";
import { declareCommand, runCommand } from "../command-line/command.ts";
import { environment, number } from "../command-line/options.ts";
import { say } from "../command-line/print.ts";

export const command = declareCommand({
  name: "console",
  summary: "serves a read-only web page on this machine for those who operate the platform, until Ctrl-C",
  options: {
    environment,
    port: number("the port on loopback; 0 takes a free one", { least: 0, most: 65_535, fallback: 0 }),
  },
  notes: "The printed URL has a key: who has it may read. docs/console.md has the permissions that it needs.",
  run: async ({ options: { environment: name, port } }) => {
    const { connect } = await import("./connect.ts");
    const target = await connect(name);
    // Imported late because it reads the environment.
    const { startConsoleServer } = await import("./server.ts");
    const key = randomBytes(24).toString("base64url");
    const console = { environment: target.environment, target };
    const server = await startConsoleServer({ console, port, key });
    say(`The console of ${target.environment}, until Ctrl-C: ${server.url}`);
    await untilStopped();
    await server.stop();
    return true;
  },
});

if (import.meta.main) await runCommand(command);
