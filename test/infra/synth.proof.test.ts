import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Stack } from "aws-cdk-lib";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { type CfnQueue, Queue } from "aws-cdk-lib/aws-sqs";
import { afterAll, describe, expect, test } from "vitest";
import { createApp, EnvironmentStage } from "../../infra/app.ts";
import { environmentNames } from "../../infra/environments.ts";
import { listenerSettings } from "./given-listener-stack.ts";

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "synth-"));
  directories.push(directory);
  return directory;
}

describe("synthesis", () => {
  const bundlesOf = new Map<string, string[]>();

  test.each(environmentNames)("%s passes both rule packs and CloudFormation's own rules", (name) => {
    const outdir = temporaryDirectory();
    createApp([name], { outdir }).synth();
    // One folder, one Lambda, but for the network's listener; production has no sandbox.
    const without = name === "production" ? ["listener", "sandbox"] : ["listener"];
    const folders = readdirSync("functions").filter((one) => !without.includes(one));
    const bundles = readdirSync(outdir).filter((entry) => entry.startsWith("asset."));
    expect(bundles).toHaveLength(folders.length);
    bundlesOf.set(
      name,
      bundles.map((bundle) => path.join(outdir, bundle)),
    );
  });

  test("a network's listener passes them too", () => {
    const outdir = temporaryDirectory();
    const app = createApp([], { outdir });
    new EnvironmentStage(app, "production", listenerSettings());
    app.synth();
    const images = readdirSync(outdir).filter((entry) => existsSync(path.join(outdir, entry, "Dockerfile")));
    expect(images).toHaveLength(1);
    const [image = ""] = images;
    expect(readdirSync(path.join(outdir, image))).toContain("handler.mjs");
  });

  test("each bundle loads with all of its late imports, and is equal in every environment", () => {
    const staging = bundlesOf.get("staging") ?? [];
    const hashes = new Set(staging.map((bundle) => path.basename(bundle)));
    const all = [...bundlesOf.values()].flat().map((bundle) => path.basename(bundle));
    expect(all.filter((hash) => !hashes.has(hash))).toEqual([]);

    const files = staging.flatMap((bundle) =>
      readdirSync(bundle)
        .filter((file) => file.endsWith(".mjs"))
        .map((file) => path.join(bundle, file)),
    );
    const script = `
      const modules = await Promise.all(${JSON.stringify(files)}.map((file) => import(file)));
      console.log(modules.filter(({ handler }) => typeof handler === "function").length);`;
    // By stdin: Linux takes no argument that is longer than 128 KiB.
    const { status, stdout, stderr, error } = spawnSync(process.execPath, ["--input-type=module"], {
      encoding: "utf8",
      env: handlerEnvironment,
      input: script,
    });
    expect(error).toBeUndefined();
    expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: `${staging.length}\n` });
  });

  test.each([
    ["a finding of AwsSolutions", "AwsSolutions-SQS4", (stack: Stack) => new Queue(stack, "Unguarded")],
    [
      "a finding of PCI DSS 3.2.1",
      "PCI.DSS.321-CloudWatchLogGroupEncrypted",
      (stack: Stack) => new LogGroup(stack, "Unguarded"),
    ],
    [
      "a property that CloudFormation does not know",
      "'Colour' was unexpected",
      (stack: Stack) =>
        (
          stack.node.findChild("ProcessorEvents").node.findChild("Queue").node.defaultChild as CfnQueue
        ).addPropertyOverride("Colour", "red"),
    ],
  ])("fails on %s", (_, finding, spoil) => {
    const app = createApp(["staging"], {
      outdir: temporaryDirectory(),
      context: { "aws:cdk:bundling-stacks": [] },
    });
    const { stacks } = app.node.findChild("staging") as EnvironmentStage;
    spoil(stacks.get("messaging") as Stack);
    expect(() => app.synth()).toThrow(finding);
  });
});

/** What Lambda and the template would give; none of it is reached by loading. */
const handlerEnvironment = {
  AWS_REGION: "eu-west-1",
  ACCOUNTS_TABLE: "accounts",
  DNS_SERVERS: "",
  ENVIRONMENT_NAME: "staging",
  EVENT_BUS_NAME: "bus",
  ISSUING_TABLE: "issuing",
  KEY_PEPPER_SECRET_ID: "pepper",
  KYC_BASE_URL: "https://kyc.example",
  LOG_LEVEL: "INFO",
  SERVICE_NAME: "test",
};
