import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectionFile } from "../../infra/development/connection.ts";
import { startReceiver } from "../harness/receiver.ts";
import { endRunning, startedPlatform } from "./platform-process.ts";

const main = new URL("../tools/load/main.ts", import.meta.url).pathname;
const directory = mkdtempSync(join(tmpdir(), "load-"));
/** The limits of a busy machine: the test is about the books. */
const limits = ["authorization", "clearing", "transfer", "read", "webhook"].flatMap((kind) => [
  "--limit",
  `${kind}=60000`,
]);

beforeAll(async () => {
  const free = await startReceiver();
  await free.stop();
  await startedPlatform(directory, { LOCAL_RECEIVERS: free.origin });
});
afterAll(endRunning);

describe("npm run load on a running platform", () => {
  it("ends with every request answered, every webhook delivered, and the books in order", async () => {
    const words = [
      main,
      connectionFile(directory),
      "--seconds",
      "8",
      "--rate",
      "8",
      "--decide",
      "100",
      ...limits,
    ];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, words);
    expect(stdout).toContain("The books are in order");
    expect(stdout).not.toMatch(/failed|did not arrive|"level"/);
    expect(stderr).not.toMatch(/"level"|failed/);
    const html = readFileSync(join(directory, "load.html"), "utf8");
    const { phases, books, undelivered } = JSON.parse(/id="figures">(.*?)<\/script>/s.exec(html)?.[1] ?? "");
    expect(undelivered).toBe(0);
    expect(books).toMatchObject({ faults: [] });
    const steady = phases.at(-1);
    expect(steady).toMatchObject({ name: "steady", rate: 8, isKept: true, isOverrun: false });
    const counts = steady.figures.map(({ count }: { count: number }) => count);
    for (const count of counts) expect(count).toBeGreaterThan(0);
    const [holds, settlements, transfers, reads, webhooks] = counts;
    expect(holds + settlements + transfers + reads).toBe(steady.sent);
    expect(webhooks).toBe(holds + settlements);
  });
});
