import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { readSettings } from "../../infra/environments.ts";
import { stackName } from "../../infra/stacks/stack-parts.ts";
import { type EmulatedAws, startEmulatedAws } from "./aws/emulated-aws.ts";

const [there, name] = ["eu-central-1", stackName("staging", "data")];
vi.mock("../../infra/environments.ts", async (original) => {
  const real = await original<typeof import("../../infra/environments.ts")>();
  const secondRegion = { region: "eu-central-1", hasReplicas: true, writes: "second" as const };
  return { ...real, readSettings: (name: "staging") => ({ ...real.readSettings(name), secondRegion }) };
});

const { ReplicaParameters } = await import("../../infra/commands/deploy/second-region.ts");
const { administer } = await import("../../infra/commands/invoke-operator.ts");
const { findTarget } = await import("../../infra/commands/dead-letters/target.ts");
const { useRegion } = await import("../../infra/commands/failover/use-region.ts");
const { openBucket } = await import("../../infra/commands/feed.ts");
const { connect } = await import("../../infra/console/connect.ts");

/** Once the second region writes, nobody changes or reads the first, which may be lost. */
describe("an operator's command", () => {
  let aws: EmulatedAws;

  beforeAll(async () => {
    const { account, region } = readSettings("staging");
    const otherRegion = { region: there };
    aws = await startEmulatedAws({ account, region, invoke: async () => ({ output: {} }), otherRegion });
    const outputs = {
      FilesBucketName: "files-there",
      IssuingTableName: "issuing-1",
      AccountsTableName: "accounts-1",
    };
    const stack = (of: Readonly<Record<string, string>>) => ({
      ...{ name, id: name, outputs: of, status: "CREATE_COMPLETE", isProtected: true, template: "{}" },
      ...{ parameters: {}, changedAt: new Date(), changeSet: undefined, failure: undefined },
    });
    aws.cloudFormationThere.stacks.set(name, stack(outputs));
    aws.cloudFormation.stacks.set(name, stack({ NewArn: `arn:aws:kms:${region}:1:key/mrk-1` }));
    vi.stubEnv("AWS_ENDPOINT_URL", aws.endpoint);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "operator");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
    for (const one of ["AWS_REGION", "ISSUING_TABLE", "ACCOUNTS_TABLE", "LOG_LEVEL", "ENVIRONMENT_NAME"])
      vi.stubEnv(one, process.env[one] ?? "");
  });
  afterEach(() => {
    aws.regions.length = 0;
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await aws?.stop();
  });

  test("goes to the region that writes", async () => {
    await administer("staging", "list-tickets", {});
    expect(aws.regions).toEqual([there]);
  });

  test("reads the dead letters there", async () => {
    const { sqs, lambda, streams } = await findTarget("staging");
    for (const client of [sqs, lambda, streams]) expect(await client.config.region()).toBe(there);
  });

  test("feeds a file there", async () => {
    const { s3, name } = await openBucket("staging");
    expect([await s3.config.region(), name]).toEqual([there, "files-there"]);
  });

  test("shows the tables there", async () => {
    await connect("staging");
    expect([process.env.AWS_REGION, process.env.ISSUING_TABLE]).toEqual([there, "issuing-1"]);
    expect(new Set(aws.regions)).toEqual(new Set([there]));
  });

  test("that gives usage keys works on the tables of the region that is named", async () => {
    await useRegion("staging", "second");
    const { AWS_REGION, ACCOUNTS_TABLE, ENVIRONMENT_NAME } = process.env;
    expect([AWS_REGION, ACCOUNTS_TABLE, ENVIRONMENT_NAME]).toEqual([there, "accounts-1", "staging"]);
    expect(new Set(aws.regions)).toEqual(new Set([there]));
    await expect(useRegion("staging", "first")).rejects.toThrow("staging is not deployed in eu-west-1");
  });

  test("that deploys there asks the first region for what a new version adds, and for nothing else", async () => {
    const settings = readSettings("staging");
    const replicas = new ReplicaParameters(settings, { ...settings, region: there });
    const template = { Parameters: { OldArnOfFirst: {}, NewArnOfFirst: {} } };
    const of = (...known: string[]) =>
      replicas.of(
        { stackName: name, displayName: name, template, bootstrap: undefined },
        {
          ...{ status: "UPDATE_COMPLETE", reason: undefined, isProtected: true, changedAt: "", outputs: {} },
          ...{ isMade: true, parameters: new Set(known) },
        },
      );
    expect([...(await of("OldArnOfFirst"))]).toEqual([["NewArnOfFirst", `arn:aws:kms:${there}:1:key/mrk-1`]]);
    aws.regions.length = 0;
    expect([...(await of("OldArnOfFirst", "NewArnOfFirst"))]).toEqual([]);
    expect(aws.regions).toEqual([]);
    await expect(of("NewArnOfFirst")).rejects.toThrow("has no output OldArn");
  });
});
