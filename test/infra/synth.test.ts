import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { type CfnQueue, Queue } from "aws-cdk-lib/aws-sqs";
import { afterAll, describe, expect, test } from "vitest";
import { createApp, type EnvironmentStage } from "../../infra/app.ts";
import { environmentNames } from "../../infra/environments.ts";

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
  test.each(environmentNames)(
    "%s passes both rule packs and CloudFormation's own rules, and each of its bundles loads",
    (name) => {
      const outdir = temporaryDirectory();
      createApp([name], { outdir }).synth();

      const bundles = readdirSync(outdir).filter((entry) => entry.startsWith("asset."));
      // One folder, one Lambda; production has no sandbox.
      const folders = readdirSync("functions").filter((one) => name !== "production" || one !== "sandbox");
      expect(bundles).toHaveLength(folders.length);
      const imports = bundles.map(
        (bundle) => `await import(${JSON.stringify(path.join(outdir, bundle, "handler.mjs"))})`,
      );
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [
          "--input-type=module",
          "--eval",
          `const handlers = [${imports}]; console.log(handlers.every(({ handler }) => typeof handler === "function"));`,
        ],
        { encoding: "utf8", env: handlerEnvironment },
      );
      expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: "true\n" });
    },
  );

  test.each([
    [
      "a finding of AwsSolutions",
      "AwsSolutions-SQS4",
      (stack: EnvironmentStage["service"]) => new Queue(stack, "Unguarded"),
    ],
    [
      "a finding of PCI DSS 3.2.1",
      "PCI.DSS.321-CloudWatchLogGroupEncrypted",
      (stack: EnvironmentStage["service"]) => new LogGroup(stack, "Unguarded"),
    ],
    [
      "a property that CloudFormation does not know",
      "'Colour' was unexpected",
      (stack: EnvironmentStage["service"]) =>
        (
          stack.node.findChild("ProcessorEvents").node.findChild("Queue").node.defaultChild as CfnQueue
        ).addPropertyOverride("Colour", "red"),
    ],
  ])("fails on %s", (_, finding, spoil) => {
    const app = createApp(["staging"], {
      outdir: temporaryDirectory(),
      context: { "aws:cdk:bundling-stacks": [] },
    });
    spoil((app.node.findChild("staging") as EnvironmentStage).service);
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
  POWERTOOLS_SERVICE_NAME: "test",
};
