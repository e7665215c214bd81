import { errorPage } from "./error-page.ts";
import { postmanCollection } from "./postman.ts";
import type { Json } from "./schemas.ts";

/** What `npm run openapi` writes, by file. */
export function referenceFiles(document: Json): Readonly<Record<string, string>> {
  return {
    "docs/openapi.json": toText(document),
    "docs/postman.json": toText(postmanCollection(document)),
    "docs/errors.md": errorPage(document),
  };
}

function toText(content: Json): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
