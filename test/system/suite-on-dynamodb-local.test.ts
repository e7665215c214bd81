import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { thisMachine } from "../../infra/local/engines/choose-engine.ts";

/**
 * Money and its records in all shapes of writes and reads, which `npm test` has on an engine in its
 * own process; not what is timed, or counts units. DynamoDB Local does one transaction after
 * another, without a conflict: a merge of a Wallet's 64 parts beside sixteen callers waits longer
 * for its turn than a request may.
 */
const within = ["wallets/**/*", "disputes/**/*", "cardholders/**/*", "controls/**/*"];
const patterns = [...within, "processor-events/{holds,races}"];
const excluded = ["**/*.proof.test.ts", "**/hot-wallet*.test.ts", "**/proof-checkpoint.test.ts"];
/** More workers would wait longer for one another than a request may: other files run beside. */
const workers = 2;

const engines = [
  { name: "DynamoDB Local", engine: "dynamodb-local", isHere: thisMachine.javaVersion() !== undefined },
  { name: "the engine of npm start", engine: "dynoxide", isHere: true },
];

describe.each(engines)("the functions on $name", ({ engine, isHere }) => {
  it.skipIf(!isHere)("pass the tests that they pass on the other engine", { timeout: 600_000 }, () => {
    const directory = mkdtempSync(path.join(tmpdir(), "suite-"));
    const report = path.join(directory, "report.json");
    const words = [
      ...["node_modules/vitest/vitest.mjs", "run", "--project", "tests", "--reporter=json"],
      ...[`--outputFile=${report}`, `--maxWorkers=${workers}`],
      // The files themselves: `--exclude` says nothing to a project with patterns of its own.
      ...patterns.flatMap((pattern) => {
        const files = globSync(`test/functions/${pattern}.test.ts`, { exclude: excluded });
        expect(files, pattern).not.toEqual([]);
        return files;
      }),
    ];
    const { VITEST: _, USED_GRANTS_FILE: __, ...variables } = process.env;
    const env = { ...variables, TEST_DYNAMODB: engine };
    spawnSync(process.execPath, words, { env, stdio: "ignore" });
    const { testResults, numPassedTests } = JSON.parse(readFileSync(report, "utf8")) as Report;
    const failed = testResults.flatMap(({ assertionResults, message, status, name }) => [
      ...assertionResults
        .filter((one) => one.status === "failed")
        .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages.join()}`),
      ...(status === "failed" && assertionResults.length === 0 ? [`${name}: ${message}`] : []),
    ]);
    rmSync(directory, { recursive: true });
    expect(failed).toEqual([]);
    expect(numPassedTests).toBeGreaterThan(200);
  });
});

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}
