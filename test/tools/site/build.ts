import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { installTool } from "../../../infra/tools/install-tool.ts";
import { type Page, readGroups } from "./pages.ts";
import { referencePages } from "./reference.ts";
import { linkRelatively } from "./relative-links.ts";

const theme = path.join(import.meta.dirname, "theme");
const copied = ["docs/openapi.json", "docs/postman.json", "llms.txt"];

/** Builds the pages into the folder. The generator is installed at the first use. */
export async function buildSite(pages: readonly Page[], folder: string): Promise<void> {
  const modules = installTool("vitepress");
  // Beside the generator's modules, which the theme imports.
  const staged = path.resolve(modules, "../site");
  rmSync(staged, { recursive: true, force: true });
  const write = (file: string, text: string) => {
    const target = path.join(staged, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  };
  const reference = referencePages();
  for (const { file, text } of pages) write(renamed(file), withPageLinks(text));
  for (const { file, text } of reference) write(file, text);
  for (const file of copied) cpSync(file, path.join(staged, "public", file));
  for (const { file } of pages) cpSync(file, path.join(staged, "public", file));
  cpSync("docs/images", path.join(staged, "docs/images"), { recursive: true });
  cpSync(path.join(modules, "@mermaid-js/tiny/dist/mermaid.tiny.js"), path.join(staged, "public/mermaid.js"));
  cpSync(theme, path.join(staged, ".vitepress"), { recursive: true });
  write(".vitepress/sidebar.json", JSON.stringify(sidebarOf(pages, reference)));
  const words = [
    path.join(modules, "vitepress/bin/vitepress.js"),
    "build",
    staged,
    "--outDir",
    path.resolve(folder),
  ];
  const { status: exitStatus, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  if (exitStatus !== 0) throw new Error(`The site could not be built:\n${stdout}${stderr}`);
  linkRelatively(folder);
}

/** A folder's README is its first page. */
function renamed(file: string): string {
  return file.replace(/README\.md$/, "index.md");
}

function withPageLinks(text: string): string {
  return text.replace(/(\]\([^)\s]*)README\.md/g, "$1index.md");
}

interface Link {
  readonly text: string;
  readonly link: string;
}

function sidebarOf(pages: readonly Page[], reference: readonly Page[]): object[] {
  const toLink = ({ file, title }: Page): Link => ({ text: title, link: `/${renamed(file)}` });
  const groups = readGroups(pages).map(({ readers, files }) => ({
    text: readers,
    collapsed: false,
    items: inOrder(pages, files).map(toLink),
  }));
  const own = inOrder(pages, ["client/README.md", "docs/errors.md", "CHANGELOG.md"]);
  return [
    { text: "Start", items: [{ text: "Overview", link: "/" }, ...own.map(toLink)] },
    ...groups,
    { text: "API reference", collapsed: true, items: reference.map(toLink) },
  ];
}

/** The order of the README is a reader's. */
function inOrder(pages: readonly Page[], files: readonly string[]): Page[] {
  return files.flatMap((wanted) => pages.find(({ file }) => file === wanted) ?? []);
}
