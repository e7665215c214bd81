import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import clientJson from "../../../client/package.json" with { type: "json" };
import { type Platform, startPlatform } from "../../../infra/development/platform.ts";
import { type Receiver, startReceiver } from "../../harness/receiver.ts";
import { type Block, blocksOf, faultsOf, pageFiles, readGuides } from "./guide-blocks.ts";
import { KnownValues } from "./known-values.ts";
import { runGuide } from "./run-guide.ts";
import { Shell } from "./shell.ts";

/** The first blocks of this page give each reader a shell, a Cardholder and a Card. */
const firstGuide = "docs/calling.md";
const blocksOfStart = 3;

/** The first guide shows a new Program. */
const guides = readGuides().toSorted(
  (one, other) => Number(other.file === firstGuide) - Number(one.file === firstGuide),
);
const root = path.resolve(".");
const run = promisify(execFile);

let platform: Platform;
let receiver: Receiver;
let directory: string;
let shell: Shell | undefined;

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "guides-"));
  receiver = await startReceiver();
  receiver.behave(({ body }, response) => {
    const isQuestion = body.includes('"authorization.');
    response.end(isQuestion ? JSON.stringify({ decision: "approve" }) : "{}");
  });
  platform = await startPlatform({
    port: 0,
    directory: path.join(directory, "platform"),
    dynamodb: "dynoxide",
    receivers: [receiver.origin],
  });
  await layOutClone(path.join(directory, "clone"));
}, 400_000);
afterEach(() => shell?.stop());
afterAll(async () => {
  await platform?.stop();
  await receiver?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** A reader's clone, with the running platform and the client's package. */
async function layOutClone(clone: string): Promise<void> {
  mkdirSync(path.join(clone, "node_modules"), { recursive: true });
  const own = new Set(["node_modules", ".git", ".local"]);
  for (const name of readdirSync(root).filter((one) => !own.has(one)))
    symlinkSync(path.join(root, name), path.join(clone, name));
  symlinkSync(path.join(directory, "platform"), path.join(clone, ".local"));
  const modules = path.join(clone, "node_modules");
  for (const name of [".bin", ...Object.keys(clientJson.dependencies)])
    symlinkSync(path.join(root, "node_modules", name), path.join(modules, name));
  const { stdout } = await run("npm", ["pack", "./client", "--json", "--pack-destination", directory], {
    cwd: root,
  });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [{ filename: string }];
  const installed = path.join(modules, clientJson.name);
  mkdirSync(installed);
  await run("tar", ["-xzf", path.join(directory, filename), "-C", installed, "--strip-components=1"]);
}

/** Without what they print: the Program is no longer new. */
function blocksOfBeginning(): Block[] {
  const blocks = blocksOf(readFileSync(firstGuide, "utf8")).slice(0, blocksOfStart);
  return blocks.map((block) => ({ ...block, shown: undefined }));
}

describe("each guide", () => {
  test("there are those that people follow", () => {
    expect(guides.map(({ file }) => file)).toEqual(
      expect.arrayContaining([firstGuide, "README.md", "client/README.md"]),
    );
  });

  test.each(pageFiles())("%s has only blocks that are run, or say why not", (file) => {
    expect(faultsOf(readFileSync(file, "utf8"))).toEqual([]);
  });

  test.each(guides.filter(({ file }) => file !== firstGuide))(
    "$file leaves the reader's Cardholder, Card and Wallet: the next guide goes on in the same shell",
    ({ blocks }) => {
      const renamed = blocks.flatMap(
        ({ text }) => text.match(/^(?:cardholderId|cardId|walletId)=.*$/gm) ?? [],
      );
      expect(renamed.filter((line) => line !== "walletId=$(connection walletId)")).toEqual([]);
    },
  );

  test.each(guides)("$file: every block runs, and prints what the page shows", async (guide) => {
    const clone = path.join(directory, "clone");
    shell = new Shell(clone, { npm_config_loglevel: "error" });
    const known = new KnownValues();
    const { connection } = platform;
    known.learn(connection);
    const reader = { connection, directory: clone, receiver, shell, known };
    const isFirst = guide.file === firstGuide;
    if (!isFirst) await runGuide({ file: firstGuide, blocks: blocksOfBeginning() }, reader);
    await runGuide(guide, reader);
  });
});
