import { STSClient } from "@aws-sdk/client-sts";
import * as z from "zod";
import type { Settings } from "../../environments.ts";

type TrailSettings = Pick<Settings, "name" | "region">;

interface TrailCheck {
  readonly settings: TrailSettings;
  readonly isIgnored: boolean;
}

const Trail = z.object({
  Name: z.string(),
  TrailARN: z.string(),
  IsMultiRegionTrail: z.boolean().default(false),
});
type Trail = z.output<typeof Trail>;
const Status = z.object({ IsLogging: z.boolean() });
const Selectors = z.object({
  EventSelectors: z
    .array(
      z.object({
        ReadWriteType: z.string().default("All"),
        IncludeManagementEvents: z.boolean().default(true),
        ExcludeManagementEventSources: z.array(z.string()).default([]),
      }),
    )
    .nullish(),
  AdvancedEventSelectors: z
    .array(
      z.object({
        FieldSelectors: z.array(z.object({ Field: z.string(), Equals: z.array(z.string()).nullish() })),
      }),
    )
    .nullish(),
});

/**
 * Without a trail, EventBridge hears of no call, and nobody of an attack. Throws an Error with what
 * to do; outside production it only says so.
 */
export async function checkTrail({ settings, isIgnored }: TrailCheck): Promise<string> {
  const found = await findTrail(settings);
  if ("name" in found) return found.name;
  const advice = `  ${found.faults.join("\n  ")}\n${creation(settings)}`;
  if (isIgnored || settings.name !== "production")
    return `none that tells of attacks; the deployment continues\n${advice}`;
  throw new Error(
    `The account has no trail that tells of attacks. Nothing was deployed.\n${advice}\nTo deploy anyway: --ignore-trail`,
  );
}

async function findTrail({ region }: TrailSettings): Promise<{ name: string } | { faults: string[] }> {
  try {
    const list = await ask(region, "DescribeTrails", { includeShadowTrails: true });
    const { trailList } = z.object({ trailList: z.array(Trail).default([]) }).parse(list);
    const faults = trailList.length === 0 ? ["CloudTrail has no trail."] : [];
    for (const trail of trailList) {
      const missing = await findGaps(trail, region);
      if (missing.length === 0) return { name: trail.Name };
      faults.push(`The trail ${trail.Name} ${missing.join(", ")}.`);
    }
    return { faults };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const rights = "cloudtrail:DescribeTrails, GetTrailStatus and GetEventSelectors";
    return { faults: [`The trails could not be read, which needs the rights ${rights}: ${reason}`] };
  }
}

async function findGaps({ TrailARN, IsMultiRegionTrail }: Trail, region: string): Promise<string[]> {
  const { IsLogging } = Status.parse(await ask(region, "GetTrailStatus", { Name: TrailARN }));
  const selectors = Selectors.parse(await ask(region, "GetEventSelectors", { TrailName: TrailARN }));
  return [
    ...(IsMultiRegionTrail ? [] : ["is of one region only"]),
    ...(IsLogging ? [] : ["does not log"]),
    ...(hasAllManagementEvents(selectors) ? [] : ["leaves out management events that read, or those of KMS"]),
  ];
}

function hasAllManagementEvents({ EventSelectors, AdvancedEventSelectors }: z.output<typeof Selectors>) {
  const isWhole = EventSelectors?.some(
    ({ ReadWriteType, IncludeManagementEvents, ExcludeManagementEventSources }) =>
      IncludeManagementEvents && ReadWriteType === "All" && !ExcludeManagementEventSources.includes(kms),
  );
  // An advanced one leaves out what its further fields say.
  const isWholeAdvanced = AdvancedEventSelectors?.some(
    ({ FieldSelectors: [only, ...more] }) =>
      only?.Field === "eventCategory" && only.Equals?.includes("Management") && more.length === 0,
  );
  return isWhole === true || isWholeAdvanced === true;
}

const kms = "kms.amazonaws.com";

function creation({ region }: TrailSettings): string {
  return [
    "Create one, for all regions and with all management events; the bucket needs a policy for CloudTrail:",
    `    aws cloudtrail create-trail --name management --s3-bucket-name <bucket> --is-multi-region-trail --enable-log-file-validation --region ${region}`,
    `    aws cloudtrail start-logging --name management --region ${region}`,
  ].join("\n");
}

const target = "com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101";

/** Three calls are no reason for a client of their own: another one signs them. */
async function ask(region: string, operation: string, input: object): Promise<unknown> {
  const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_CLOUDTRAIL } = process.env;
  const endpoint = AWS_ENDPOINT_URL_CLOUDTRAIL ?? AWS_ENDPOINT_URL;
  const url = new URL(endpoint ?? `https://cloudtrail.${region}.amazonaws.com`);
  const body = JSON.stringify(input);
  const signer = await new STSClient({ region }).config.signer();
  const { headers } = await signer.sign(
    {
      protocol: url.protocol,
      hostname: url.hostname,
      method: "POST",
      path: "/",
      query: {},
      headers: {
        host: url.host,
        "content-type": "application/x-amz-json-1.1",
        "x-amz-target": `${target}.${operation}`,
      },
      body,
    },
    { signingService: "cloudtrail", signingRegion: region },
  );
  const response = await fetch(new URL("/", url), {
    method: "POST",
    headers,
    body,
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${operation}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
