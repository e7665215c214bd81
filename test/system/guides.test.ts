import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Platform, startPlatform } from "../../infra/development/platform.ts";

/** A block of commands and what it is said to print, one JSON after another. */
interface Step {
  readonly commands: string;
  readonly printed: readonly unknown[];
}

let platform: Platform;
let workplace: string;
beforeAll(async () => {
  workplace = mkdtempSync(path.join(tmpdir(), "guide-"));
  const directory = mkdtempSync(path.join(tmpdir(), "platform-"));
  platform = await startPlatform({ port: 0, directory, dynamodb: "dynoxide", receivers: [] });
  symlinkSync(directory, path.join(workplace, ".local"));
});
afterAll(async () => {
  await platform.stop();
  rmSync(path.join(workplace, ".local"));
  rmSync(workplace, { recursive: true });
});

test("docs/calling.md: every command runs in one shell and prints what the page shows", async () => {
  const steps = stepsOf(readFileSync("docs/calling.md", "utf8"));
  expect(steps.length).toBeGreaterThan(6);
  const mark = "=== end of a block ===";
  const script = steps.map(({ commands }) => `${commands}\necho; echo '${mark}'\n`).join("");
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], {
    cwd: workplace,
  });
  const outputs = stdout.split(mark);
  for (const [index, { commands, printed }] of steps.entries()) {
    expect(documentsIn(outputs[index] ?? ""), commands).toEqual(printed.map(matching));
  }
}, 180_000);

function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(/^```(sh|json)\n(.*?)^```$/gms)];
  return blocks.flatMap(([, language, text = ""], index): Step[] => {
    if (language !== "sh") return [];
    const [, next, printed = ""] = blocks[index + 1] ?? [];
    return [{ commands: text, printed: next === "json" ? documentsIn(printed) : [] }];
  });
}

/** Consecutive JSON documents, each on a new line or directly after the last. */
function documentsIn(text: string): unknown[] {
  const lines = text.trim().replaceAll("}{", "}\n{");
  return lines === "" ? [] : lines.split(/\n(?=\{)/).map((document) => JSON.parse(document) as unknown);
}

/** At least what the page shows; "…" matches any text. */
function matching(shown: unknown): unknown {
  if (typeof shown === "string" && shown.includes("…")) {
    const parts = shown.split("…").map((part) => part.replace(/[^\w]/g, "\\$&"));
    return expect.stringMatching(new RegExp(`^${parts.join(".+")}$`));
  }
  if (Array.isArray(shown)) return shown.map(matching);
  if (shown === null || typeof shown !== "object") return shown;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, matching(value)])),
  );
}
