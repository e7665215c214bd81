import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { LargestFirst } from "./test/harness/largest-first.ts";

type Options = TestProjectInlineConfiguration["test"];

/** Gives each file its own tables. */
const tables = "test/harness/engine-setup.ts";
/** Notes which grants the functions need. */
const notes = "test/harness/used-grants-setup.ts";
/** Handlers run with their functions' rights. */
const functions = [tables, notes, "test/harness/as-functions.ts"];
/** They set values that a module reads once, or test what a process keeps. */
const ownProcess = [
  "test/functions/authorizer/address.test.ts",
  "test/functions/authorizer/confirmed-name.test.ts",
  "test/functions/authorizer/pepper.test.ts",
  "test/functions/operator/rate-limits.test.ts",
  // It reads all kinds of lists: other tests declare some of their own.
  "test/shared/keys.test.ts",
];
/** Node imports the files itself. Vite's modules look up what they import at each call. */
const native = { experimental: { viteModuleRunner: false } };
const proofs = "**/*.proof.test.ts";
const realEngine = { TEST_DYNAMODB: process.env.TEST_DYNAMODB ?? "dynoxide" };
const folders = {
  functions: ["test/functions", "test/listener"],
  tables: ["test/shared", "test/audit", "infra/console/test"],
  plain: ["test/infra", "test/client", "test/development", "test/load", "test/bench", "infra/local/test"],
};
const within = (files: string) =>
  Object.values(folders).flatMap((some) => some.map((one) => `${one}/**/${files}`));

// Each process would strip and compile the same thousand files again, and so would the next run.
const compiled = path.join(import.meta.dirname, "node_modules/.vitest-cache/compile");
// Node deletes nothing from there, and each run adds the tests' own files.
if (existsSync(compiled) && readdirSync(compiled, { recursive: true }).length > 40_000)
  rmSync(compiled, { recursive: true });
process.env.NODE_COMPILE_CACHE ??= compiled;

function project(name: string, include: string[], options: Options): TestProjectInlineConfiguration {
  return { extends: true, test: { name, include, ...options } };
}

/** `npm run proofs` runs the long ones, on an engine of its own process, called as DynamoDB is. */
function proofsOf(name: keyof typeof folders, options: Options): TestProjectInlineConfiguration {
  const include = folders[name].map((folder) => `${folder}/${proofs}`);
  return project(`${name}:proofs`, include, { ...options, isolate: true, env: realEngine });
}

export default defineConfig({
  test: {
    globalSetup: ["test/harness/engine-global.ts"],
    // One more than CI has cores, since the journey and the engine leave workers waiting.
    maxWorkers: 4,
    maxConcurrency: 20,
    // The limit ends what hangs. A busy machine may take ten times as long as a free one.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // One process runs many files: what takes most of the time is importing what they share.
    isolate: false,
    // Not 0: those would run after all others where there is one worker.
    sequence: { groupOrder: 1, sequencer: LargestFirst },
    projects: [
      // It starts a whole platform, and waits: others run beside it.
      project("a journey", ["test/system/journeys.test.ts"], {
        ...native,
        isolate: true,
        setupFiles: [notes],
      }),
      project("alone", ownProcess, { ...native, isolate: true, setupFiles: functions }),
      // One project: each starts its own workers, which import what they share.
      project("tests", ["test/*.test.ts", ...within("*.test.ts")], {
        ...native,
        setupFiles: functions,
        exclude: [...ownProcess, proofs],
      }),
      proofsOf("functions", { setupFiles: functions }),
      proofsOf("tables", { setupFiles: [tables] }),
      proofsOf("plain", {}),
      project("system:proofs", ["test/system/**/*.test.ts"], {
        isolate: true,
        setupFiles: [notes],
        exclude: ["test/system/journeys.test.ts"],
        sequence: { groupOrder: 2 },
      }),
      // Reads the notes of all others.
      project("grants", ["test/grants/*.test.ts"], { sequence: { groupOrder: 3 } }),
    ],
  },
});
