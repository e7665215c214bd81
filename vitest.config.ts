import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

type Options = TestProjectInlineConfiguration["test"];

/** Gives each file that uses DynamoDB its own tables. */
const tables = { setupFiles: ["test/harness/engine-setup.ts"] };
/** Notes which grants the functions need. */
const notes = "test/harness/used-grants-setup.ts";
/** Handlers run with their functions' rights. */
const functions = { setupFiles: [...tables.setupFiles, notes, "test/harness/as-functions.ts"] };
/** They set values that a module reads once, or test what a process keeps. */
const ownProcess = [
  "test/functions/authorizer/address.test.ts",
  "test/functions/authorizer/confirmed-name.test.ts",
  "test/functions/authorizer/pepper.test.ts",
  "test/functions/operator/rate-limits.test.ts",
  // It reads all kinds of lists: other tests declare some of their own.
  "test/shared/keys.test.ts",
];
const proofs = "**/*.proof.test.ts";
const realEngine = { TEST_DYNAMODB: process.env.TEST_DYNAMODB ?? "dynoxide" };
const slow = { testTimeout: 180_000, hookTimeout: 180_000 };

function project(name: string, include: string[], options: Options): TestProjectInlineConfiguration {
  return { extends: true, test: { name, include, ...options } };
}

/** `npm test` runs the folders' files, `npm run proofs` their long ones (`*.proof.test.ts`). */
function suite(name: string, folders: string[], options: Options = {}): TestProjectInlineConfiguration[] {
  const { exclude = [], ...others } = options;
  const within = (files: string) => folders.map((folder) => `${folder}/${files}`);
  return [
    project(name, within("**/*.test.ts"), { ...others, exclude: [...exclude, proofs] }),
    // On an engine of its own process, called as DynamoDB is.
    project(`${name}:proofs`, within(proofs), { ...others, isolate: true, env: realEngine }),
  ];
}

export default defineConfig({
  test: {
    globalSetup: ["test/harness/engine-global.ts"],
    // One more than CI has cores, since the journey and the engine leave workers waiting.
    maxWorkers: 3,
    maxConcurrency: 20,
    // The limit ends what hangs. A busy machine may take ten times as long as a free one.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // One process runs many files: what takes most of the time is importing what they share.
    isolate: false,
    // Not 0: those would run after all others where there is one worker.
    sequence: { groupOrder: 1 },
    projects: [
      project("architecture", ["test/*.test.ts"], {}),
      ...suite("functions", ["test/functions", "test/listener"], {
        ...functions,
        exclude: ownProcess,
      }),
      project("functions, each alone", ownProcess, { ...functions, isolate: true }),
      // Few projects: each starts its own workers, which import what they share.
      ...suite("tables", ["test/shared", "test/audit", "infra/console/test"], {
        ...tables,
        exclude: ownProcess,
        testTimeout: 180_000,
      }),
      ...suite(
        "plain",
        ["test/infra", "test/client", "test/development", "test/load", "test/bench", "infra/local/test"],
        slow,
      ),
      // Starts a whole platform. Projects begin by name, so others run beside it.
      project("journey", ["test/system/journeys.test.ts"], { ...system(), sequence: { groupOrder: 1 } }),
      project("system:proofs", ["test/system/**/*.test.ts"], {
        ...system(),
        exclude: ["test/system/journeys.test.ts"],
      }),
      // Reads the notes of all others.
      project("grants", ["test/grants/*.test.ts"], { sequence: { groupOrder: 3 } }),
    ],
  },
});

function system(): Options {
  return { ...slow, isolate: true, setupFiles: [notes], sequence: { groupOrder: 2 } };
}
