import { parseArgs } from "node:util";
import { type EnvironmentName, toEnvironmentName } from "../../environments.ts";

const usage = `Usage: npm run deploy -- <environment> [option…] [option of cdk deploy…]

  --bootstrap              prepares the account and region for the CDK where that has not been done
  --assembly <directory>   deploys what npm run synth has written there, instead of synthesizing
  --caller <address>       who may call first: an IPv4 address; by default the one this machine is seen with
  --caller-domain <name>   the domain of that address; by default the name that DNS confirms for it
  --keep-data              leaves the data stack as it is, for a version from before something was added to it
  --no-caller              ends after the stacks and the truststore: no first Tenant, no smoke test
  --ignore-quotas          goes on though the account's quotas are too low
  --accept <logical id>    lets a resource that keeps something leave its stack or be replaced; may be repeated
  --connections <folder>   where the connection file is written, by the environment's name: .deployed
  --patience <seconds>     how long the smoke test waits until the hosts take requests: 1800

An option of cdk deploy: --require-approval never, where nobody can be asked.`;

const ownOptions = {
  bootstrap: { type: "boolean", default: false },
  assembly: { type: "string" },
  caller: { type: "string" },
  "caller-domain": { type: "string" },
  "keep-data": { type: "boolean", default: false },
  "no-caller": { type: "boolean", default: false },
  "ignore-quotas": { type: "boolean", default: false },
  accept: { type: "string", multiple: true },
  connections: { type: "string", default: ".deployed" },
  patience: { type: "string", default: "1800" },
} as const;

export interface DeployOptions {
  readonly environment: EnvironmentName;
  readonly bootstrap: boolean;
  readonly assembly: string | undefined;
  readonly caller: { readonly address: string | undefined; readonly domain: string | undefined } | "none";
  readonly keepData: boolean;
  readonly ignoreQuotas: boolean;
  readonly accepted: ReadonlySet<string>;
  readonly connections: string;
  /** DNS needs minutes to publish a new host, and API Gateway to load a new truststore. */
  readonly patienceSeconds: number;
  /** Passed to `cdk deploy` unchanged. */
  readonly ofCdk: readonly string[];
}

/** Parses the command line. Unknown options go to `cdk deploy`. */
export function readOptions(words: string[]): DeployOptions {
  const [environment, ...others] = words;
  if (environment === undefined || environment.startsWith("-")) throw new Error(usage);
  const { own, ofCdk } = separateOptions(others);
  const { values } = parseArgs({ args: own, options: ownOptions });
  return {
    environment: toEnvironmentName(environment),
    bootstrap: values.bootstrap,
    assembly: values.assembly,
    caller: values["no-caller"] ? "none" : { address: values.caller, domain: values["caller-domain"] },
    keepData: values["keep-data"],
    ignoreQuotas: values["ignore-quotas"],
    accepted: new Set(values.accept),
    connections: values.connections,
    patienceSeconds: Number(values.patience),
    ofCdk,
  };
}

function separateOptions(words: readonly string[]) {
  const own: string[] = [];
  const ofCdk: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    const [name = ""] = word.replace(/^--/, "").split("=");
    const isOwn = word.startsWith("--") && Object.hasOwn(ownOptions, name);
    (isOwn ? own : ofCdk).push(word);
    const value = words[index + 1];
    const takesValue = isOwn && ownOptions[name as keyof typeof ownOptions].type === "string";
    if (takesValue && !word.includes("=") && value !== undefined) {
      own.push(value);
      index += 1;
    }
  }
  return { own, ofCdk };
}
