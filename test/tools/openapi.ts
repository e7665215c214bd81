import { writeFileSync } from "node:fs";
import path from "node:path";
import { declareCommand, runCommand } from "../../infra/command-line/command.ts";
import { say } from "../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "openapi",
  summary:
    "writes docs/openapi.json, docs/errors.md and docs/postman.json from the contract and the recordings",
  run: async () => {
    const { openApiDocument } = await import("./openapi/document.ts");
    const { referenceFiles } = await import("./openapi/reference-files.ts");
    const root = path.join(import.meta.dirname, "../..");
    for (const [file, text] of Object.entries(referenceFiles(await openApiDocument()))) {
      writeFileSync(path.join(root, file), text);
      say(`${file} written.`);
    }
  },
});

if (import.meta.main) await runCommand(command);
