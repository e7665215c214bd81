/** `npm run openapi`: writes `docs/openapi.json` from the contract and the recorded events. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openApiDocument } from "./openapi/document.ts";

const root = path.join(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };
const document = await openApiDocument(version);
const file = path.join(root, "docs/openapi.json");
writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
console.log(`${Object.keys(document.paths as object).length} paths written to docs/openapi.json.`);
