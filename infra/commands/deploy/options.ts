import { choice, flag, number, text, texts, type Values } from "../../command-line/options.ts";
import type { EnvironmentName } from "../../environments.ts";

export const deployedRegions = ["first", "second"] as const;
export type DeployedRegion = (typeof deployedRegions)[number];

export const deployOptions = {
  region: choice(deployedRegions, "where its stacks are deployed: docs/second-region.md", "first"),
  bootstrap: flag("prepares the account and region for the CDK if necessary"),
  assembly: text("<directory>", "deploys the output of npm run synth instead of synthesizing"),
  caller: text("<address>", "IPv4 address of the first caller; default: this machine's public address"),
  "caller-domain": text("<name>", "domain of that address; default: its confirmed name in DNS"),
  "keep-data": flag("does not change the data stack, to deploy a version older than its last addition"),
  "no-caller": flag("deploys only stacks and truststore: no first Tenant, no smoke test"),
  "ignore-quotas": flag("continues even if the account's quotas are too low"),
  "ignore-trail": flag("continues even if no trail tells of attacks"),
  accept: texts("<logical id>", "allows the removal or replacement of a resource with data"),
  connections: text("<folder>", "for connection files, one subfolder per environment", ".deployed"),
  // DNS needs minutes to publish a new host, and API Gateway to load a new truststore.
  patience: number("seconds that the smoke test waits for the hosts", { least: 0, fallback: 1_800 }),
};

export interface DeployOptions extends Values<typeof deployOptions> {
  readonly environment: EnvironmentName;
  readonly ofCdk: readonly string[];
}
