import { existsSync, readdirSync, readFileSync } from "node:fs";

/** A block that a reader would run, and what the page says it prints. */
export interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
  readonly shown: string | undefined;
}

export interface Guide {
  readonly file: string;
  readonly blocks: readonly Block[];
}

interface Fenced extends Omit<Block, "shown"> {
  readonly note: string | undefined;
  /** Whether only blank lines are between it and the block before. */
  readonly isNext: boolean;
}

const runnable = new Set(["sh", "bash", "http", "ts", "js"]);
const shownLanguages = new Set(["json", "text"]);

/** Every page for readers. */
export function pageFiles(): string[] {
  const docs = readdirSync("docs").filter((file) => file.endsWith(".md"));
  return ["README.md", "client/README.md", ...docs.map((file) => `docs/${file}`)];
}

/** Pages with blocks to run. A `not run` or `run by` comment excepts a block. */
export function readGuides(): Guide[] {
  return pageFiles()
    .map((file) => ({ file, blocks: blocksOf(readFileSync(file, "utf8")) }))
    .filter(hasBlocks);
}

const hasBlocks = ({ blocks }: Guide) => blocks.length > 0;

/** Every block for a shell, whether a test runs it or not. */
export function shellBlocks(page: string): { line: number; text: string }[] {
  const fenced = fencedBlocks(page).filter(({ language }) => language === "sh" || language === "bash");
  const indented = [...page.matchAll(/(?:^ {7,}\S.*\n)+/gm)].map(({ 0: text, index }) => ({
    text,
    line: page.slice(0, index).split("\n").length,
  }));
  return [...fenced, ...indented];
}

export function blocksOf(page: string): Block[] {
  const fenced = fencedBlocks(page);
  return fenced.flatMap((block, index): Block[] => {
    if (!runnable.has(block.language) || block.note !== undefined) return [];
    const { language, text, line } = block;
    const next = fenced[index + 1];
    return [
      {
        language,
        text,
        line,
        shown: next?.isNext && shownLanguages.has(next.language) ? next.text : undefined,
      },
    ];
  });
}

/** What is wrong with the form of a guide's blocks. */
export function faultsOf(page: string): string[] {
  const fenced = fencedBlocks(page);
  const unnamed = fenced
    .filter(({ language }) => language === "")
    .map(({ line }) => `line ${line}: a block without a language`);
  const outside = page.replace(/^```.*?^```$/gms, (block) => block.replace(/[^\n]/g, ""));
  const indented = outside
    .split("\n")
    .flatMap((text, index, lines) =>
      /^ {4}\S/.test(text) && lines[index - 1] === "" && !isInList(lines, index)
        ? [`line ${index + 1}: an indented block, which no test can run; fence it, with a language`]
        : [],
    );
  return [...unnamed, ...indented, ...fenced.flatMap(faultsOfNote)];
}

function isInList(lines: readonly string[], index: number): boolean {
  const before = lines.slice(0, index).findLast((line) => /^\S/.test(line));
  return before !== undefined && /^(-|\d+\.) /.test(before);
}

function faultsOfNote({ note, line }: Fenced): string[] {
  const [, test] = note?.match(/^run by (\S+)$/) ?? [];
  if (test !== undefined && !existsSync(test)) return [`line ${line}: there is no ${test}`];
  return note === undefined || test !== undefined || /^not run: .{10}/.test(note)
    ? []
    : [`line ${line}: "${note}" is neither "not run: <reason>" nor "run by <test>"`];
}

/** A note is a comment on the line before the block. */
function fencedBlocks(page: string): Fenced[] {
  const form = /(?:^<!-- ((?:not run|run by)(?:(?!-->).)*) -->\n+)?^```(\w*)\n(.*?)^```$/gms;
  let end = 0;
  return [...page.matchAll(form)].map(({ 0: whole, index, 1: note, 2: language = "", 3: text = "" }) => {
    const isNext = page.slice(end, index).trim() === "";
    end = index + whole.length;
    return { note, language, text, isNext, line: page.slice(0, index).split("\n").length };
  });
}
