import { mkdirSync } from "node:fs";
import { declareCommand, runCommand } from "../../infra/command-line/command.ts";

export const command = declareCommand({
  name: "kept",
  summary: "adds newly deployed resources to the lists of kept ones, test/infra/kept",
  notes: "It never removes one; to give up a resource, edit the list by hand.",
  run: async () => {
    const { keepingEnvironments, record } = await import("../infra/kept-list.ts");
    mkdirSync(new URL("../infra/kept", import.meta.url), { recursive: true });
    for (const name of keepingEnvironments) record(name);
  },
});

if (import.meta.main) await runCommand(command);
