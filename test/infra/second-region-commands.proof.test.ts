import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { settingsOf } from "../../infra/environments.ts";
import { stackName } from "../../infra/stacks/stack-parts.ts";
import { type EmulatedAws, startEmulatedAws } from "./aws/emulated-aws.ts";

const there = "eu-central-1";
vi.mock("../../infra/environments.ts", async (original) => {
  const real = await original<typeof import("../../infra/environments.ts")>();
  const secondRegion = { region: "eu-central-1", hasReplicas: true, writes: "second" as const };
  return { ...real, settingsOf: (name: "staging") => ({ ...real.settingsOf(name), secondRegion }) };
});

const { administer } = await import("../../infra/commands/invoke-operator.ts");
const { targetOf } = await import("../../infra/commands/dead-letters/target.ts");
const { openBucket } = await import("../../infra/commands/feed.ts");
const { connect } = await import("../../infra/console/connect.ts");

/** Once the second region writes, nobody changes or reads the first, which may be lost. */
describe("an operator's command", () => {
  let aws: EmulatedAws;

  beforeAll(async () => {
    const { account, region } = settingsOf("staging");
    const otherRegion = { region: there };
    aws = await startEmulatedAws({ account, region, invoke: async () => ({ output: {} }), otherRegion });
    const outputs = {
      FilesBucketName: "files-there",
      IssuingTableName: "issuing-1",
      AccountsTableName: "accounts-1",
    };
    const name = stackName("staging", "data");
    aws.cloudFormationThere.stacks.set(name, {
      ...{ name, id: name, outputs, status: "CREATE_COMPLETE", isProtected: true, template: "{}" },
      ...{ parameters: {}, changedAt: new Date(), changeSet: undefined, failure: undefined },
    });
    vi.stubEnv("AWS_ENDPOINT_URL", aws.endpoint);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "operator");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
    for (const one of ["AWS_REGION", "ISSUING_TABLE", "ACCOUNTS_TABLE", "LOG_LEVEL"])
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
    const { sqs, lambda, streams } = await targetOf("staging");
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
});
