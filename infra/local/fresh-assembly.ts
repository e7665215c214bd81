import { spawn } from "node:child_process";
import { createHash, type Hash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { lockFile } from "./directory-lock.ts";

const PROJECT = resolve(import.meta.dirname, "../..");
const ASSEMBLY = join(PROJECT, "cdk.out/local");
/** What the template and the bundles are made of. The local target itself is not among it. */
const SOURCES = ["infra", "functions", "shared", "package-lock.json", "cdk.json", "tsconfig.json"];
const NOT_SOURCES = [join(PROJECT, "infra/local")];
const SYNTHESIS_PATIENCE_MS = 120_000;

/**
 * The folder of the local environment's synthesized app, made anew where the sources have changed since. Starts at the
 * same time take turns, and the later ones find it fresh. Errors: the synthesis' own output where it fails.
 */
export async function ensureFreshAssembly(say: (line: string) => void): Promise<string> {
  if (isFresh()) return ASSEMBLY;
  const lock = await lockFile(
    `${ASSEMBLY}.lock`,
    SYNTHESIS_PATIENCE_MS,
    "Another process synthesizes for too long",
  );
  try {
    if (isFresh()) return ASSEMBLY;
    say("Synthesizing the app for this machine (the sources have changed)");
    const sources = hashOf(SOURCES.map((source) => join(PROJECT, source)));
    await synthesize();
    const stamp = { sources, templates: hashOfTemplates() };
    writeFileSync(`${stampFile()}.next`, JSON.stringify(stamp));
    renameSync(`${stampFile()}.next`, stampFile());
    return ASSEMBLY;
  } finally {
    lock.release();
  }
}

/** Beside the folder, for the synthesis may empty that. */
function stampFile(): string {
  return `${ASSEMBLY}.stamp.json`;
}

/** The stamp names the templates as well: somebody may have synthesized other sources in between. */
function isFresh(): boolean {
  if (!existsSync(stampFile()) || !existsSync(join(ASSEMBLY, "manifest.json"))) return false;
  const stamp: { sources?: string; templates?: string } = JSON.parse(readFileSync(stampFile(), "utf8"));
  return (
    stamp.templates === hashOfTemplates() &&
    stamp.sources === hashOf(SOURCES.map((source) => join(PROJECT, source)))
  );
}

function hashOfTemplates(): string {
  const nested = join(ASSEMBLY, "assembly-local");
  const names = existsSync(nested)
    ? readdirSync(nested).filter((name) => /\.(template|assets)\.json$/.test(name))
    : [];
  return hashOf(names.map((name) => join(nested, name)));
}

function hashOf(paths: string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.toSorted()) addToHash(path, hash);
  return hash.digest("hex");
}

function addToHash(path: string, hash: Hash): void {
  if (NOT_SOURCES.includes(path) || !existsSync(path)) return;
  const entries = readdirOf(path);
  if (entries === undefined)
    hash
      .update(`${relative(PROJECT, path)}\0`)
      .update(readFileSync(path))
      .update("\0");
  else for (const entry of entries.toSorted()) addToHash(join(path, entry), hash);
}

/** Undefined for a file. */
function readdirOf(path: string): string[] | undefined {
  try {
    return readdirSync(path);
  } catch {
    return undefined;
  }
}

/** The rules that guard a deployment take most of a synthesis' time; `npm run synth` and the tests check them. */
async function synthesize(): Promise<void> {
  const synthesis = spawn(process.execPath, ["infra/synth.ts", "local", "--unchecked"], {
    cwd: PROJECT,
    env: { ...process.env, CDK_DISABLE_CLI_TELEMETRY: "true" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [synthesis.stdout, synthesis.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const [code] = await once(synthesis, "close");
  if (code !== 0) throw new Error(`The synthesis failed:\n${output}`);
}
