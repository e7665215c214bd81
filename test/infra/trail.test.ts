import { describe, expect, test } from "vitest";
import { checkTrail } from "../../infra/commands/deploy/trail.ts";
import { readSettings } from "../../infra/environments.ts";
import { type EmulatedTrail, wholeTrail } from "./aws/emulated-trails.ts";
import { givenAws } from "./aws/given-aws.ts";

const production = readSettings("production");

describe("the trail of an account", () => {
  const account = givenAws(production);
  const check = (settings = production, isIgnored = false) => checkTrail({ settings, isIgnored });
  const selectors = (one: object) => ({
    EventSelectors: [{ ReadWriteType: "All", IncludeManagementEvents: true, ...one }],
  });
  const advanced = (...more: object[]) => ({
    AdvancedEventSelectors: [
      { FieldSelectors: [{ Field: "eventCategory", Equals: ["Management"] }, ...more] },
    ],
  });

  test("is named if it records all management events of all regions", async () => {
    expect(await check()).toBe("management");
    const operations = ["DescribeTrails", "GetTrailStatus", "GetEventSelectors"];
    expect(account.aws.calls).toEqual(operations.map((operation) => `cloudtrail ${operation}`));
    account.aws.trails.all = [
      { ...wholeTrail, name: "paused", isLogging: false },
      { ...wholeTrail, selectors: advanced() },
    ];
    expect(await check()).toBe("management");
  });

  test.each<[string, Partial<EmulatedTrail>]>([
    ["is of one region only", { isMultiRegion: false }],
    ["does not log", { isLogging: false }],
    ["leaves out management events", { selectors: selectors({ ReadWriteType: "WriteOnly" }) }],
    ["leaves out management events", { selectors: selectors({ IncludeManagementEvents: false }) }],
    [
      "leaves out management events",
      { selectors: selectors({ ExcludeManagementEventSources: ["kms.amazonaws.com"] }) },
    ],
    [
      "leaves out management events",
      { selectors: advanced({ Field: "eventSource", NotEquals: ["kms.amazonaws.com"] }) },
    ],
    ["leaves out management events", { selectors: { EventSelectors: [] } }],
  ])("stops production if it %s: %j", async (fault, wrong) => {
    account.aws.trails.all = [{ ...wholeTrail, ...wrong }];
    await expect(check()).rejects.toThrow(`The trail management ${fault}`);
    expect(await check(readSettings("staging"))).toContain(`The trail management ${fault}`);
  });

  test("stops production if there is none, with what to do", async () => {
    account.aws.trails.all = [];
    const error = await check().catch((reason: unknown) => reason);
    for (const part of [
      "The account has no trail that tells of attacks. Nothing was deployed.",
      "CloudTrail has no trail.",
      "aws cloudtrail create-trail --name management --s3-bucket-name <bucket> --is-multi-region-trail",
      "aws cloudtrail start-logging --name management --region eu-west-1",
      "--ignore-trail",
    ])
      expect((error as Error).message).toContain(part);
    expect(await check(production, true)).toContain("the deployment continues");
  });

  test("that cannot be read stops production and names the missing rights", async () => {
    account.aws.trails.isReadable = false;
    await expect(check()).rejects.toThrow("cloudtrail:DescribeTrails");
    expect(await check(readSettings("staging"))).toContain("AccessDeniedException");
  });
});
