import { parseArgs } from "node:util";
import { type EnvironmentName, toEnvironmentName } from "../../environments.ts";

const usage = `Usage: npm run deploy -- <environment> [option…] [option of cdk deploy…]

  --bootstrap              prepares the account and region for the CDK if necessary
  --assembly <directory>   deploys the output of npm run synth instead of synthesizing
  --caller <address>       IPv4 address of the first caller; default: this machine's public address
  --caller-domain <name>   domain of that address; default: its confirmed name in DNS
  --keep-data              does not change the data stack, to deploy a version older than its last addition
  --no-caller              deploys only stacks and truststore: no first Tenant, no smoke test
  --ignore-quotas          continues even if the account's quotas are too low
  --accept <logical id>    allows the removal or replacement of a resource with data; repeatable
  --connections <folder>   folder for connection files, one subfolder per environment; default: .deployed
  --patience <seconds>     how long the smoke test waits for the hosts; default: 1800

For unattended deployments add --require-approval never, an option of cdk deploy.`;

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
  readonly ofCdk: readonly string[];
}

/** Unknown options go to `cdk deploy`. */
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
