import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export interface Page {
  /** From the root of the repository. */
  readonly file: string;
  readonly title: string;
  /** The first sentence below the title. */
  readonly about: string;
  readonly text: string;
}

/** Those who read a page, as the README's table names them. */
export interface Group {
  readonly readers: string;
  readonly files: readonly string[];
}

const rooms = ["shared", "infra", "test"]
  .flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}/README.md`))
  .filter((file) => existsSync(file));
const others = ["README.md", "CHANGELOG.md", "client/README.md", ...rooms];

export function readPages(): Page[] {
  const docs = readdirSync("docs").filter((file) => file.endsWith(".md"));
  return [...others, ...docs.map((file) => `docs/${file}`)].map((file) => {
    const text = readFileSync(file, "utf8");
    const [, title = file] = text.match(/^# (.+)$/m) ?? [];
    return { file, title, about: firstSentence(text), text };
  });
}

function firstSentence(text: string): string {
  const paragraphs = text.replace(/<!--.*?-->|^```.*?^```$/gms, "").split(/\n{2,}/);
  const first = paragraphs.find((one) => /^[A-Z*[`]/.test(one)) ?? "";
  const plain = first.replaceAll("\n", " ").replace(/\[([^\]]+)\]\([^)]*\)/g, "$1");
  return (plain.match(/^.*?[.:](?= |$)/)?.[0] ?? plain).replace(/:$/, ".");
}

/** The groups of the README's last table. @throws Error for a page of `docs` that it leaves out */
export function readGroups(pages: readonly Page[]): Group[] {
  const readme = pages.find(({ file }) => file === "README.md")?.text ?? "";
  const rows = [...readme.matchAll(/^\| (\[.*\)) \| (.+) \|$/gm)];
  const groups = rows.map(([, links = "", readers = ""]) => ({
    readers: readers.replace(/^for /, "For ").replace(/^r/, "R"),
    files: [...links.matchAll(/\]\(([^)#]+\.md)/g)].map(([, file = ""]) => path.posix.normalize(file)),
  }));
  const listed = new Set(groups.flatMap(({ files }) => files));
  const linked = (file: string) => readme.includes(`](${file}`) || file === "docs/licences.md";
  const missing = pages.filter(({ file }) => file.startsWith("docs/") && !listed.has(file) && !linked(file));
  if (missing.length > 0)
    throw new Error(
      `README.md must link ${missing.map(({ file }) => file).join(", ")} below "Where to read on".`,
    );
  return groups;
}

/** By llmstxt.org: the pages with a sentence each, for language models. */
export function renderLlms(pages: readonly Page[]): string {
  const [readme] = pages;
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const line = (file: string) => {
    const page = byFile.get(file);
    return page === undefined ? [] : [`- [${page.title}](${file}): ${page.about}`];
  };
  const sections = readGroups(pages).map(
    ({ readers, files }) => `## ${readers}\n\n${files.flatMap(line).join("\n")}\n`,
  );
  const machine = [
    "- [OpenAPI document](docs/openapi.json): Every endpoint with schemas, examples and errors.",
    ...["docs/errors.md", "client/README.md", "CHANGELOG.md"].flatMap(line),
  ];
  return [
    `# ${readme?.title}\n`,
    `> ${readme?.about}\n`,
    "Amounts are integers in minor units. A Program's key sees only that Program. `npm run mcp` serves reads as tools.\n",
    `## API\n\n${machine.join("\n")}\n`,
    ...sections,
  ].join("\n");
}

const root = /^(?:\.ci|client|docs|events|functions|infra|shared|test)\//;

/** Files that the text names in code, and that do not exist. */
export function missingFiles({ file, text }: Page): string[] {
  const isHistory = file === "CHANGELOG.md";
  const named = [...text.replace(/^```.*?^```$/gms, "").matchAll(/`([^`\s]+)`/g)].map(
    ([, name = ""]) => name,
  );
  const plain = named.filter(
    (name) => root.test(name) && !/[<{*…]/.test(name) && !/^client\/dist|\/v2/.test(name),
  );
  return isHistory
    ? []
    : plain.filter((name) => !existsSync(name)).map((name) => `${file}: there is no ${name}`);
}
