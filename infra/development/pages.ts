import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { ensureTool } from "../tools/install-tool.ts";

export interface Page {
  readonly contentType: string;
  readonly content: Buffer;
}

const own = join(import.meta.dirname, "page");

const files: Readonly<Record<string, string>> = {
  "/": join(own, "index.html"),
  "/live": join(own, "live.html"),
  "/live.js": join(own, "live.js"),
  "/reference": join(own, "reference.html"),
  "/reference.js": join(own, "reference.js"),
  "/reference.css": join(own, "reference.css"),
  "/style.css": join(own, "style.css"),
  "/openapi.json": join(import.meta.dirname, "../../docs/openapi.json"),
};
/** What a tool of `infra/tools` has. */
const installedFiles: Readonly<Record<string, readonly ["pico" | "swagger-ui", string]>> = {
  "/pico.css": ["pico", "@picocss/pico/css/pico.fluid.classless.min.css"],
  "/swagger-ui.css": ["swagger-ui", "swagger-ui-dist/swagger-ui.css"],
  "/swagger-ui-bundle.js": ["swagger-ui", "swagger-ui-dist/swagger-ui-bundle.js"],
};

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
};

/** A page of the control port, or what it loads; undefined if there is none at this path. */
export async function readPage(pathname: string): Promise<Page | undefined> {
  const file = await fileAt(pathname);
  if (file === undefined) return undefined;
  return { contentType: contentTypes[extname(file)] ?? "text/plain", content: await readFile(file) };
}

async function fileAt(pathname: string): Promise<string | undefined> {
  const installed = Object.hasOwn(installedFiles, pathname) ? installedFiles[pathname] : undefined;
  if (installed) return join(await ensureTool(installed[0]), installed[1]);
  return Object.hasOwn(files, pathname) ? files[pathname] : undefined;
}
