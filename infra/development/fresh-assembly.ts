import { spawn } from "node:child_process";
import { createHash, type Hash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { lockFile, writeWholeFile } from "../local/files.ts";
import { findProcess } from "../local/find-process.ts";

const thisProject = resolve(import.meta.dirname, "../..");
/** Sources of the template and bundles. */
const templateSources = ["infra", "package-lock.json", "cdk.json", "tsconfig.json"];
const sourcePaths = [...templateSources, "functions", "shared"];
const otherPaths = ["infra/local", "infra/console", "infra/development"];
const synthesisScript = "infra/local-assembly/main.ts";
const synthesisTimeoutMs = 120_000;

interface FreshAssemblyOptions {
  say(line: string): void;
  signal?: AbortSignal;
  project?: string;
  /** Writes the local environment's app to the project's `cdk.out/local`. */
  synthesize?(project: string, signal?: AbortSignal, only?: "bundles"): Promise<void>;
}

/** Synthesizes again if sources changed. Concurrent starts wait for each other. */
export async function ensureFreshAssembly(options: FreshAssemblyOptions): Promise<string> {
  const { say, signal, project = thisProject, synthesize = runSynthesis } = options;
  const assembly = join(project, "cdk.out/local");
  // Read once: what is edited from now on differs at the end, and is synthesized by the next start.
  const sources = hashOfSources(project);
  if (readStamp(assembly).sources === sources) return assembly;
  const lock = await lockFile(
    `${assembly}.lock`,
    synthesisTimeoutMs,
    "Another process synthesizes for too long",
  );
  try {
    const stamp = readStamp(assembly);
    if (stamp.sources === sources) return assembly;
    // Whether only code has changed that no template is made of.
    const isSame = stamp.inputs !== undefined && stamp.inputs === hashOfInputs(project, assembly);
    const only = isSame ? "bundles" : undefined;
    say(
      `${only ? "Bundling the functions" : "Synthesizing the app for this machine"} (the sources have changed), which takes up to half a minute`,
    );
    await synthesize(project, signal, only);
    // A source was edited meanwhile: without a stamp, the next start synthesizes again.
    if (hashOfSources(project) !== sources) return assembly;
    const inputs = isSame ? stamp.inputs : hashOfInputs(project, assembly);
    const made: Stamp = { sources, inputs, templates: hashOfTemplates(assembly) };
    writeWholeFile(stampFile(assembly), JSON.stringify(made), 0o644);
    return assembly;
  } finally {
    lock.release();
  }
}

/** Outside the folder, which a synthesis may empty. */
function stampFile(assembly: string): string {
  return `${assembly}.stamp.json`;
}

interface Stamp {
  readonly sources: string;
  /** The hash of those sources that templates are made of. */
  readonly inputs: string | undefined;
  readonly templates: string;
}

/** Also compares the templates' hash: another synthesis may have replaced them. */
function readStamp(assembly: string): Partial<Stamp> {
  if (!existsSync(stampFile(assembly)) || !existsSync(join(assembly, "manifest.json"))) return {};
  const stamp: Stamp = JSON.parse(readFileSync(stampFile(assembly), "utf8"));
  return stamp.templates === hashOfTemplates(assembly) ? stamp : {};
}

/** Undefined if the synthesis did not say what it read besides `infra`. */
function hashOfInputs(project: string, assembly: string): string | undefined {
  const file = join(assembly, "inputs.json");
  if (!existsSync(file)) return undefined;
  const functions = join(project, "functions");
  const folders = (existsSync(functions) ? readdirSync(functions) : []).toSorted().join();
  const named: string[] = JSON.parse(readFileSync(file, "utf8"));
  return hashPaths(project, [...templateSources, ...named], folders);
}

const hashOfSources = (project: string) => hashPaths(project, sourcePaths);

function hashOfTemplates(assembly: string): string {
  const nested = join(assembly, "assembly-local");
  const names = existsSync(nested) ? readdirSync(nested) : [];
  return hashPaths(
    nested,
    names.filter((name) => /\.(template|assets)\.json$/.test(name)),
  );
}

/** What stands first, and then all of these files and folders. */
function hashPaths(base: string, paths: readonly string[], first = ""): string {
  const hash = createHash("sha256").update(first);
  for (const path of paths) addToHash(base, path, hash);
  return hash.digest("hex");
}

function addToHash(base: string, path: string, hash: Hash): void {
  const absolute = join(base, path);
  const found = otherPaths.includes(path) ? undefined : statSync(absolute, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) hash.update(`${path}\0`).update(readFileSync(absolute)).update("\0");
  else for (const entry of readdirSync(absolute).toSorted()) addToHash(base, `${path}/${entry}`, hash);
}

/**
 * Skips the deployment rules, which take most of the time; `npm run synth` and tests check them.
 */
async function runSynthesis(project: string, signal?: AbortSignal, only?: "bundles"): Promise<void> {
  const pidFile = join(project, "cdk.out/local.pid");
  await endOrphan(pidFile);
  const synthesis = spawn(
    process.execPath,
    // Fewer collections: nearly all of CDK's objects live until the end.
    ["--max-semi-space-size=32", synthesisScript, ...(only ? [only] : [])],
    {
      cwd: project,
      // A cache of compiled code costs the first synthesis a second, and saves others 0.2 s.
      // The compiler of the bundles, too, frees memory that it need not: a fifth of its work.
      env: {
        ...process.env,
        CDK_DISABLE_CLI_TELEMETRY: "true",
        NODE_DISABLE_COMPILE_CACHE: "1",
        GOGC: "400",
      },
      stdio: ["ignore", "pipe", "pipe"],
      signal,
      killSignal: "SIGKILL",
    },
  );
  if (synthesis.pid !== undefined) writeFileSync(pidFile, String(synthesis.pid));
  let output = "";
  for (const stream of [synthesis.stdout, synthesis.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const [exitCode] = await once(synthesis, "close");
  rmSync(pidFile, { force: true });
  if (exitCode !== 0) throw new Error(`The synthesis failed:\n${output}`);
}

/** A killed start leaves its synthesis running, which would write to the same files. */
async function endOrphan(pidFile: string): Promise<void> {
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : 0;
  while (findProcess(pid)?.commandLine.includes(synthesisScript)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has just ended by itself.
    }
    await delay(20);
  }
}
