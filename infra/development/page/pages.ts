import { readFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Page {
  readonly contentType: string;
  readonly content: Buffer;
}

const own = import.meta.dirname;
const viewer = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/package.json")));

/** Files by their paths. */
const files: Readonly<Record<string, string>> = {
  "/": join(own, "index.html"),
  "/live": join(own, "live.html"),
  "/live.js": join(own, "live.js"),
  "/reference": join(own, "reference.html"),
  "/reference.js": join(own, "reference.js"),
  "/style.css": join(own, "style.css"),
  "/openapi.json": join(own, "../../../docs/openapi.json"),
  "/swagger-ui.css": join(viewer, "swagger-ui.css"),
  "/swagger-ui-bundle.js": join(viewer, "swagger-ui-bundle.js"),
};

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
};

/** Returns the page at a path; undefined if it does not exist. */
export async function readPage(pathname: string): Promise<Page | undefined> {
  const file = Object.hasOwn(files, pathname) ? files[pathname] : undefined;
  if (file === undefined) return undefined;
  return { contentType: contentTypes[extname(file)] ?? "text/plain", content: await readFile(file) };
}
