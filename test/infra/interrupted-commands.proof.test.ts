import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createApp } from "../../infra/app.ts";
import { readSettings } from "../../infra/environments.ts";
import { installTool } from "../../infra/tools/install-tool.ts";
import { endOf, startWith } from "./aws/deploy-command.ts";
import { type EmulatedAws, startEmulatedAws } from "./aws/emulated-aws.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const { account, region } = readSettings("staging");
const at = "2026-11-22T14:02:59Z";
const folders = ["authorizer", "processor-events", "deadlines"];
const nameOf = (folder: string) => `card-issuing-staging-${folder}`;
const tables: Readonly<Record<string, string>> = {
  IssuingTableName: "issuing-1",
  AccountsTableName: "accounts-1",
  RecordsBucketName: "records-1",
};
let directory: string;
let temporary: string;
let assembly: string;
let aws: EmulatedAws;

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), "interrupted-"));
  assembly = path.join(directory, "assembly");
  createApp(["staging"], { outdir: assembly, checked: false }).synth();
  installTool("cdk");
});
afterAll(() => rmSync(directory, { recursive: true }));

beforeEach(async () => {
  temporary = mkdtempSync(path.join(directory, "temporary-"));
  aws = await startEmulatedAws({ account, region, invoke: async () => ({ output: {} }), outputs: tables });
  for (const qualifier of ["hnb659fds", "vault"]) {
    aws.parameters.all.set(`/cdk-bootstrap/${qualifier}/version`, { value: "30", type: "String" });
    aws.buckets.create(`cdk-${qualifier}-assets-${account}-${region}`);
  }
  for (const part of ["data", "api"]) {
    const outputs = part === "data" ? tables : {};
    const name = nameOf(part);
    const template = readFileSync(path.join(assembly, templateFile(part)), "utf8");
    aws.cloudFormation.stacks.set(name, {
      ...{ name, id: `arn:aws:cloudformation:${region}:${account}:stack/${name}/1`, outputs, template },
      ...{ status: "UPDATE_COMPLETE", isProtected: true, parameters: {}, changedAt: new Date() },
      ...{ changeSet: undefined, failure: undefined },
    });
  }
  for (const folder of folders)
    aws.versions.functions.set(nameOf(folder), {
      ...{ published: ["6", "7"], warm: [], reserved: 9, aliases: { live: { version: "7" } } },
    });
  aws.dynamo.add("issuing-1");
  aws.dynamo.add("accounts-1");
});
afterEach(() => aws.stop());

function templateFile(part: string): string {
  const folder = path.join(assembly, "assembly-staging");
  const file = readdirSync(folder).find(
    (name) => name.startsWith(`staging${part}`) && name.endsWith(".template.json"),
  );
  return path.join("assembly-staging", file ?? "");
}

/** Interrupts the command once AWS was asked this, and has not answered. */
async function interruptAt(call: string, signal: "SIGINT" | "SIGTERM", command: string, ...words: string[]) {
  const held = aws.hold(call);
  const child = startWith(aws, [path.resolve(`infra/commands/${command}.ts`), ...words], {
    isGroup: true,
    variables: { TMPDIR: temporary },
  });
  const ended = endOf(child);
  const early = await Promise.race([held, ended]);
  if (early !== undefined) throw new Error(early.said);
  const pid = Number(child.pid);
  // As Ctrl-C in a terminal; kill tells the one process alone.
  process.kill(signal === "SIGINT" ? -pid : pid, signal);
  const ran = await ended;
  for (const end = Date.now() + 3_000; processesOf(pid).length > 0 && Date.now() < end; ) await delay(50);
  return { ...ran, left: [...processesOf(pid), ...readdirSync(temporary)] };
}

/** The running processes of the group, which it leads. */
function processesOf(group: number): string[] {
  return readdirSync("/proc").filter((id) => {
    try {
      const [, state, , ofGroup] = readFileSync(`/proc/${id}/stat`, "utf8").replace(/^.*\)/s, ")").split(" ");
      return Number(ofGroup) === group && state !== "Z";
    } catch {
      return false;
    }
  });
}

const run = (command: string, ...words: string[]) =>
  endOf(startWith(aws, [path.resolve(`infra/commands/${command}.ts`), ...words]));
const reserved = () => folders.map((folder) => aws.versions.functions.get(nameOf(folder))?.reserved);

describe("npm run restore", () => {
  const words = () => ["staging", "--to", at, "--poll", "0.1", "--connections", path.join(temporary, "kept")];
  const again = `To go on from here: npm run restore -- staging --to ${at}`;

  test.each([
    ["dynamodb DescribeContinuousBackups", "SIGINT", 130, "This run has not changed anything.", [9, 9, 9]],
    [
      "lambda PUT /2017-10-31/functions/card-issuing-staging-processor-events/concurrency",
      ...(["SIGTERM", 143, "Some traffic is stopped.", [0, 9, 9]] as const),
    ],
    ["dynamodb RestoreTableToPointInTime", "SIGINT", 130, "Traffic is stopped.", [0, 0, 0]],
    ["cloudformation CreateChangeSet", "SIGTERM", 143, "Traffic is stopped.", [0, 0, 0]],
  ] as const)("at %s by %s: %i, %s", async (call, signal, code, traffic, left) => {
    const ran = await interruptAt(call, signal, "restore", ...words());
    expect(ran).toMatchObject({ code, said: expect.stringContaining(`${traffic} ${again}`) });
    expect(ran.left.filter((one) => one !== "kept")).toEqual([]);
    expect(reserved()).toEqual(left);
    // It ends at the audit, since what is emulated has no index to read the books by.
    expect((await run("restore", ...words())).said).toContain("The audit did not finish");
    expect(reserved()).toEqual([0, 0, 0]);
  });

  test("with --abandon, while it lets traffic in, and as JSON", async () => {
    await run("restore", ...words());
    const call = "lambda PUT /2017-10-31/functions/card-issuing-staging-processor-events/concurrency";
    const ran = await interruptAt(call, "SIGTERM", "restore", ...words(), "--abandon", "--json");
    expect(ran.said).toContain(`Some traffic is let in. ${again} --abandon`);
    expect(ran.said).toContain('{\n  "error": "Ended by SIGTERM."\n}');
    expect((await run("restore", ...words(), "--abandon")).code).toBe(0);
    expect(reserved()).toEqual([25, 50, 1]);
  });
});

describe("npm run rollback", () => {
  const stack = () => aws.cloudFormation.stacks.get(nameOf("api"));

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "by %s within its deployment: says which version it is about, and is repeated",
    async (signal, code) => {
      const ran = await interruptAt(
        "cloudformation ExecuteChangeSet",
        signal,
        "rollback",
        "staging",
        "authorizer",
      );
      const again = "npm run rollback -- staging authorizer --to 6";
      expect(ran).toMatchObject({ code, left: [] });
      expect(ran.said).toContain(
        "card-issuing-staging-api: CloudFormation ends by itself what it has begun.",
      );
      expect(ran.said).toContain(`\n  ${again}\n`);
      const found = stack();
      if (found === undefined) throw new Error("There is no stack.");
      found.status = "UPDATE_IN_PROGRESS";
      const early = await run("rollback", "staging", "authorizer", "--to", "6");
      expect(early).toMatchObject({ code: 1, said: expect.stringContaining("Wait for its end") });
      found.status = "UPDATE_COMPLETE";
      expect(await run("rollback", "staging", "authorizer", "--to", "6")).toMatchObject({ code: 0 });
      expect(await run("rollback", "staging", "authorizer", "--to", "6")).toMatchObject({ code: 0 });
      // One more step back is never taken by repeating the command.
      expect(await run("rollback", "staging", "authorizer")).toMatchObject({
        code: 1,
        said: expect.stringContaining("authorizer is rolled back already."),
      });
    },
  );
});

describe("npm run deploy", () => {
  test("by SIGTERM within a stack: the tool ends with it, and it says how to go on", async () => {
    aws.cloudFormation.stacks.clear();
    const words = ["staging", "--assembly", assembly, "--no-caller", "--require-approval", "never"];
    const ran = await interruptAt("cloudformation ExecuteChangeSet", "SIGTERM", "deploy", ...words);
    expect(ran).toMatchObject({ code: 143, left: [] });
    expect(ran.said).toContain("card-issuing-staging-data: CloudFormation ends by itself what it has begun.");
    expect(ran.said).toContain("\n  npm run deploy -- staging --assembly ");
    expect(existsSync(assembly)).toBe(true);
  });
});

describe("npm run failover", () => {
  test("by SIGTERM within usage-keys: says that a part may be done", async () => {
    const words = ["usage-keys", "staging", "--region", "first"];
    const ran = await interruptAt("apigateway GET /usageplans", "SIGTERM", "failover", ...words);
    expect(ran).toMatchObject({ code: 143, left: [] });
    expect(ran.said).toContain("so part of it may be done. To go on: npm run failover -- usage-keys staging");
  });
});
