/**
 * `npm run openapi`: writes the API's reference, its error catalogue and a Postman collection to
 * `docs/`, from the contract and the recorded events and answers.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { openApiDocument } from "./openapi/document.ts";
import { referenceFiles } from "./openapi/reference-files.ts";

const root = path.join(import.meta.dirname, "../..");
for (const [file, text] of Object.entries(referenceFiles(await openApiDocument()))) {
  writeFileSync(path.join(root, file), text);
  console.log(`${file} written.`);
}
