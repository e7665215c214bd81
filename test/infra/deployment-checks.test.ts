import { beforeEach, describe, expect, test, vi } from "vitest";
import { readWords } from "../../infra/command-line/command.ts";
import { ensureBootstrapped } from "../../infra/commands/deploy/cdk.ts";
import {
  checkCredentials,
  deployableSettings,
  findCaller,
  hasBucketsInPath,
  isEmulated,
} from "../../infra/commands/deploy/environment-checks.ts";
import { DeployedStacks } from "../../infra/commands/deploy/stacks.ts";
import { command } from "../../infra/commands/deploy.ts";
import { readSettings, Settings } from "../../infra/environments.ts";
import { givenAws } from "./aws/given-aws.ts";
import { synthesized } from "./synthesized.ts";

const staging = readSettings("staging");
const { account, region } = staging;
const dataStack = "card-issuing-staging-data";

describe("the command line of a deployment", () => {
  test("passes unknown options to cdk deploy", () => {
    const words = [
      "staging",
      "--no-caller",
      "--require-approval",
      "never",
      "--accept=A",
      "--accept",
      "B",
      "--verbose",
    ];
    expect(readWords(command, words)).toMatchObject({
      words: ["staging"],
      options: { "no-caller": true, accept: ["A", "B"], connections: ".deployed" },
      passed: ["--require-approval", "never", "--verbose"],
    });
  });

  test("requires an environment first, and a value for each option that takes one", () => {
    for (const words of [[], ["--bootstrap"]])
      expect(() => readWords(command, words)).toThrow("The environment is missing.");
    expect(() => readWords(command, ["staging", "--caller"])).toThrow("--caller");
  });
});

describe("the settings of a deployment", () => {
  test("rejects the repository's examples for AWS, and names each", () => {
    expect(() => deployableSettings("production", { isEmulated: false })).toThrow(
      `The settings of production cannot be deployed (infra/environments.ts):
  platformHost: api.card-issuing.example is an example; replace it with your own
  webhookHost: webhooks.card-issuing.example is an example; replace it with your own
  senderAddress: notices@card-issuing.example is an example; replace it with your own
  contactEmail: operations@card-issuing.example is an example; replace it with your own`,
    );
    expect(deployableSettings("production", { isEmulated: true }).name).toBe("production");
  });

  test("names each invalid setting and its fault", () => {
    const wrong = { ...staging, pageEmail: "nobody", queueConcurrency: 1 };
    const read = () => Settings.parse(wrong);
    expect(() => deployableSettings("staging", { isEmulated: true, read })).toThrow(
      /^The settings of staging cannot be deployed \(infra\/environments\.ts\):\n {2}queueConcurrency: .*\n {2}pageEmail: .*$/,
    );
  });

  test("puts bucket names into the path for a custom endpoint", () => {
    expect(hasBucketsInPath({})).toBe(false);
    expect(hasBucketsInPath({ AWS_ENDPOINT_URL_S3: "http://127.0.0.1:1" })).toBe(true);
    expect(isEmulated({ AWS_ENDPOINT_URL_S3: "https://bucket.vpce.example" })).toBe(false);
    expect(isEmulated({ AWS_ENDPOINT_URL: "http://127.0.0.1:1" })).toBe(true);
  });
});

describe("the first caller of a deployment", () => {
  test("can be given as an option", async () => {
    const named = { address: "192.0.2.1", domain: "Host.Customer.example" };
    expect(await findCaller(named)).toEqual({ address: "192.0.2.1", domain: "host.customer.example" });
  });

  test.each([
    "ec2-198-51-100-7.compute-1.amazonaws.com",
    "static.7.100.51.198.clients.your-server.de",
    "CO.UK",
  ])("needs a domain of its own, not %s, before anything is deployed", async (domain) => {
    await expect(findCaller({ address: "192.0.2.1", domain })).rejects.toThrow(
      /a provider's shared domain.*\n.*--caller <address> --caller-domain <domain>.*--no-caller/,
    );
  });

  test("needs an address and a name that DNS confirms", async () => {
    await expect(findCaller({ address: "somewhere", domain: undefined })).rejects.toThrow(
      '--caller is "somewhere"',
    );
    // Reserved for documentation: no DNS has a name for it.
    await expect(findCaller({ address: "192.0.2.1", domain: undefined })).rejects.toThrow(
      "--caller <address> --caller-domain <domain>",
    );
  });
});

describe("a deployment and AWS", () => {
  const emulated = givenAws(staging);
  beforeEach(() => {
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    vi.stubEnv("HOME", "/nowhere");
  });

  test("rejects missing, expired and other accounts' credentials", async () => {
    expect(await checkCredentials(staging)).toBe("arn:aws:iam::111122223333:user/deployer");
    await expect(checkCredentials(readSettings("production"))).rejects.toThrow(
      "The credentials belong to account 111122223333 (arn:aws:iam::111122223333:user/deployer); production requires account 444455556666 (infra/environments.ts).",
    );
    vi.stubEnv("AWS_ACCESS_KEY_ID", "expired");
    await expect(checkCredentials(staging)).rejects.toThrow(
      "The security token included in the request is expired",
    );
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    await expect(checkCredentials(staging)).rejects.toThrow("No AWS credentials were found.");
  });

  test("requires a bootstrap of the account that is new enough", async () => {
    const bootstrap = { version: 6, parameter: "/cdk-bootstrap/hnb659fds/version" };
    const stacks = [{ displayName: "staging/data", stackName: dataStack, template: {}, bootstrap }];
    const check = () => ensureBootstrapped({ settings: staging, stacks, mayBootstrap: false });
    await expect(check()).rejects.toThrow("aws://111122223333/eu-west-1 is not bootstrapped for the CDK.");
    emulated.aws.parameters.all.set(bootstrap.parameter, { value: "5", type: "String" });
    await expect(check()).rejects.toThrow("is bootstrapped for an older CDK (version 5; required: 6)");
    emulated.aws.parameters.all.set(bootstrap.parameter, { value: "6", type: "String" });
    expect(await check()).toBe("already there, version 6");
  });

  test("rejects a stack that another deployment changes, that is stuck, or that would lose data", async () => {
    const template = synthesized("staging").data.toJSON() as { Resources: Record<string, unknown> };
    const { AccountsTable81C15AE5: accounts } = template.Resources;
    const deployed = {
      name: dataStack,
      id: `arn:aws:cloudformation:${region}:${account}:stack/${dataStack}/1`,
      status: "UPDATE_IN_PROGRESS",
      isProtected: true,
      template: JSON.stringify({ Resources: { ...template.Resources, FormerTable: accounts } }),
      parameters: {},
      outputs: {},
      changedAt: new Date(),
      changeSet: undefined,
      failure: undefined,
    };
    const assembled = { displayName: "staging/data", stackName: dataStack, template, bootstrap: undefined };
    const prepare = (...accepted: string[]) =>
      new DeployedStacks(region).prepare(assembled, new Set(accepted));
    await prepare();
    emulated.aws.cloudFormation.stacks.set(dataStack, deployed);
    await expect(prepare()).rejects.toThrow(
      `${dataStack} is UPDATE_IN_PROGRESS: another deployment is running.`,
    );
    deployed.status = "UPDATE_ROLLBACK_FAILED";
    await expect(prepare()).rejects.toThrow(`continue-update-rollback --stack-name ${dataStack}`);
    deployed.status = "DELETE_FAILED";
    await expect(prepare()).rejects.toThrow("finish its deletion first");
    deployed.status = "UPDATE_ROLLBACK_COMPLETE";
    await expect(prepare()).rejects.toThrow(
      "  FormerTable: AWS::DynamoDB::GlobalTable would leave the stack",
    );
    await prepare("FormerTable");
    expect(deployed.isProtected).toBe(true);
  });
});
