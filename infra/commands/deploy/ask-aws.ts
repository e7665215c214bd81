import { setTimeout as delay } from "node:timers/promises";
import { STSClient } from "@aws-sdk/client-sts";
import * as z from "zod";

/** What each service's operations are called in `x-amz-target`. */
const targets = {
  cloudtrail: "com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101",
  ssm: "AmazonSSM",
} as const;
const attempts = 3;
const Refusal = z.object({ __type: z.string() });

/** The name is AWS's, such as `ParameterNotFound`. */
export class AwsRefusal extends Error {}

/**
 * Asks a service of which a few calls are no reason for a client of its own: STS's signs them.
 * Repeats what failed for a moment. @throws AwsRefusal
 */
export async function askAws(
  { service, region }: { readonly service: keyof typeof targets; readonly region: string },
  operation: string,
  input: object,
): Promise<unknown> {
  const { AWS_ENDPOINT_URL, [`AWS_ENDPOINT_URL_${service.toUpperCase()}`]: own } = process.env;
  const url = new URL(own ?? AWS_ENDPOINT_URL ?? `https://${service}.${region}.amazonaws.com`);
  const [method, body] = ["POST", JSON.stringify(input)];
  for (let attempt = 1; ; attempt += 1) {
    const signer = await new STSClient({ region }).config.signer();
    const { protocol, hostname, host } = url;
    const target = { "x-amz-target": `${targets[service]}.${operation}` };
    const { headers } = await signer.sign(
      {
        ...{ protocol, hostname, method, path: "/", query: {}, body },
        headers: { host, "content-type": "application/x-amz-json-1.1", ...target },
      },
      { signingService: service, signingRegion: region },
    );
    const asked = fetch(new URL("/", url), { method, headers, body, signal: AbortSignal.timeout(10_000) });
    const response = await (attempt < attempts ? asked.catch(() => undefined) : asked);
    const text = (await response?.text()) ?? "";
    if (response?.ok) return JSON.parse(text);
    const name = readName(text);
    const isOver = response !== undefined && response.status < 500 && name !== "ThrottlingException";
    if (response !== undefined && (isOver || attempt === attempts))
      throw Object.assign(new AwsRefusal(`${operation}: ${response.status} ${text.slice(0, 300)}`), { name });
    await delay(200 * 2 ** attempt);
  }
}

function readName(text: string): string {
  try {
    return Refusal.parse(JSON.parse(text)).__type.replace(/^.*#/, "");
  } catch {
    return "AwsRefusal";
  }
}

const Parameter = z.object({ Parameter: z.object({ Value: z.string() }) });

/** Systems Manager's, in clear; undefined if it is not there. */
export async function readParameter(region: string, Name: string): Promise<string | undefined> {
  try {
    const asked = askAws({ service: "ssm", region }, "GetParameter", { Name, WithDecryption: true });
    return Parameter.parse(await asked).Parameter.Value;
  } catch (error) {
    if (error instanceof AwsRefusal && error.name === "ParameterNotFound") return undefined;
    throw error;
  }
}
