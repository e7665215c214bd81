import { describe, expect, test } from "vitest";
import { checkQuotas } from "../../infra/commands/deploy/quotas.ts";
import type { AssembledStack } from "../../infra/commands/deploy/stacks.ts";
import { readSettings } from "../../infra/environments.ts";
import { givenAws } from "./aws/given-aws.ts";

const production = readSettings("production");
const staging = readSettings("staging");
const lambda = (Properties: object) => ({ Type: "AWS::Lambda::Function", Properties });
const mapping = (MaximumConcurrency: number, FunctionName: unknown = { Ref: "C" }) => ({
  Type: "AWS::Lambda::EventSourceMapping",
  Properties: { FunctionName, ScalingConfig: { MaximumConcurrency } },
});

/**
 * Three functions reserve 51 together, two queues scale to 60 together: 151 at the least, 211 when
 * all are busy. Two more queues scale within what a function reserves.
 */
const stack = (Resources: object): AssembledStack => ({
  displayName: "any",
  stackName: "any",
  template: { Resources },
  bootstrap: undefined,
});
const stacks = [
  stack({ A: lambda({ ReservedConcurrentExecutions: 1 }), B: mapping(50), C: lambda({}) }),
  stack({ D: lambda({ FunctionName: "own", ReservedConcurrentExecutions: 20 }), E: mapping(10) }),
  stack({
    Reserving: lambda({ ReservedConcurrentExecutions: 30 }),
    Live: { Type: "AWS::Lambda::Alias", Properties: { FunctionName: { Ref: "Reserving" } } },
    ByAlias: mapping(30, { "Fn::Join": ["", [{ "Fn::Select": [6, { Ref: "Live" }] }, ":live"]] }),
    ByName: mapping(30, { Ref: "Reserving" }),
  }),
];

describe("the quotas of an account", () => {
  const account = givenAws(production);
  const check = (settings = production, isIgnored = false) => checkQuotas({ settings, stacks, isIgnored });

  test("are sufficient if they equal the templates' needs", async () => {
    account.aws.quotas.concurrentExecutions = 211;
    expect(await check()).toBe("enough");
  });

  test("are reduced by other applications' reservations, but not by this one's", async () => {
    account.aws.quotas.reserved.set("own", 20).set("another", 50);
    account.aws.quotas.concurrentExecutions = 261;
    expect(await check()).toBe("enough");
    account.aws.quotas.concurrentExecutions = 260;
    await expect(check()).rejects.toThrow(
      "needs 261 (at least 201 to deploy). Both include 50 that other applications reserved.",
    );
    account.aws.quotas.concurrentExecutions = 200;
    await expect(check(staging)).rejects.toThrow("too low for staging");
  });

  test("of a new account stop production, with a request for each shortfall", async () => {
    Object.assign(account.aws.quotas, { concurrentExecutions: 10, hasProductionAccess: false, verified: [] });
    const error = await check().catch((reason: unknown) => reason);
    const { message } = error as Error;
    for (const part of [
      "too low for production. Nothing was deployed.",
      "Lambda allows 10 concurrent executions; the environment needs 211 (at least 151 to deploy)",
      "--service-code lambda --quota-code L-B99A9384 --desired-value 211 --region eu-west-1",
      "aws sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL --website-url https://docs.card-issuing.example",
      "aws sesv2 create-email-identity --email-identity card-issuing.example",
      "--ignore-quotas",
    ])
      expect(message).toContain(part);
    expect(await check(production, true)).toContain("too low; the deployment continues");
  });

  test("that are too low under load only warn outside production, as does the sandbox of SES", async () => {
    Object.assign(account.aws.quotas, { concurrentExecutions: 210, hasProductionAccess: false });
    const said = await check(staging);
    expect(said).toContain("needs 211");
    expect(said).toContain("SES sends only to verified addresses");
    await expect(check(production)).rejects.toThrow("too low for production");
  });

  test("that are too low for the deployment stop any environment", async () => {
    account.aws.quotas.concurrentExecutions = 150;
    await expect(check(staging)).rejects.toThrow("too low for staging");
  });

  test("accept a verified address without its domain", async () => {
    account.aws.quotas.verified = [production.senderAddress];
    expect(await check()).toBe("enough");
  });

  test("that cannot be read stop production and name the missing permission", async () => {
    account.aws.quotas.isReadable = false;
    await expect(check()).rejects.toThrow("lambda:GetAccountSettings");
    expect(await check(staging)).toContain("ses:GetAccount");
  });
});
