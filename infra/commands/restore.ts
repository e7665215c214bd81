import { declareCommand, runCommand } from "../command-line/command.ts";
import { json, number, readTime, text } from "../command-line/options.ts";
import { printJson } from "../command-line/print.ts";

export const command = declareCommand({
  name: "restore",
  summary: "restores both tables of an environment to one second",
  takes: [{ name: "environment", about: "a deployed one" }],
  options: {
    to: text("<time>", "time to restore to, UTC, whole seconds: 2026-11-22T14:02:00Z"),
    connections: text("<folder>", "folder for the store file that npm run audit reads", ".deployed"),
    poll: number("seconds between checks of the restore", { least: 0.1, isFractional: true, fallback: 10 }),
    json,
  },
  notes: "Run it again after the next deployment: it lists the undone changes to repeat (docs/restore.md).",
  run: async ({ words: [name = ""], options }) => {
    const to = readTime("to", options.to);
    const { toEnvironmentName } = await import("../environments.ts");
    const { restoreEnvironment } = await import("./restore/restore-environment.ts");
    const result = await restoreEnvironment({
      environment: toEnvironmentName(name),
      to,
      connections: options.connections,
      pollMs: options.poll * 1_000,
    });
    if (options.json) printJson(result);
  },
});

if (import.meta.main) await runCommand(command);
