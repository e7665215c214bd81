import { declareCommand, runCommand } from "../command-line/command.ts";
import { choice, flag, number, text, texts } from "../command-line/options.ts";
import { deployedRegions } from "./deploy/options.ts";

export const command = declareCommand({
  name: "deploy",
  summary: "deploys an environment, creates its first Tenant and runs the smoke test",
  takes: [{ name: "environment", about: "local, staging or production" }],
  options: {
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
    patience: number("seconds that the smoke test waits for the hosts", { least: 0, fallback: 1_800 }),
  },
  passesOptionsTo: "cdk deploy",
  notes: `For unattended deployments add --require-approval never, an option of cdk deploy.
A repeated command skips what is done.`,
  run: async ({ words: [name = ""], options, passed }) => {
    const { toEnvironmentName } = await import("../environments.ts");
    const { deployEnvironment } = await import("./deploy/deploy-environment.ts");
    await deployEnvironment({
      environment: toEnvironmentName(name),
      region: options.region,
      bootstrap: options.bootstrap,
      assembly: options.assembly,
      caller: options["no-caller"] ? "none" : { address: options.caller, domain: options["caller-domain"] },
      keepData: options["keep-data"],
      ignoreQuotas: options["ignore-quotas"],
      ignoreTrail: options["ignore-trail"],
      accepted: new Set(options.accept),
      connections: options.connections,
      patienceSeconds: options.patience,
      ofCdk: passed,
    });
  },
});

if (import.meta.main) await runCommand(command);
