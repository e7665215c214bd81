import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { declareCommand, runCommand } from "../../infra/command-line/command.ts";
import { say } from "../../infra/command-line/print.ts";
import type { Document, Model } from "./clients/model.ts";

const writers = {
  python: async (model: Model) => (await import("./clients/python.ts")).writePython(model),
  go: async (model: Model) => (await import("./clients/go.ts")).writeGo(model),
} as const;

export const command = declareCommand({
  name: "client",
  summary: "writes a client in Python or Go, which needs that language alone, from docs/openapi.json",
  takes: [
    { name: "language", about: "the client's language", choices: Object.keys(writers) },
    { name: "folder", about: "where it is written; files of the same names are replaced" },
  ],
  run: async ({ words: [language = "", folder = ""] }) => {
    const { readModel } = await import("./clients/model.ts");
    const file = path.join(import.meta.dirname, "../../docs/openapi.json");
    const model = readModel(JSON.parse(readFileSync(file, "utf8")) as Document);
    const files = await writers[language as keyof typeof writers](model);
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(path.join(folder, name), text);
      say(`${path.join(folder, name)} written.`);
    }
    return true;
  },
});

if (import.meta.main) await runCommand(command);
