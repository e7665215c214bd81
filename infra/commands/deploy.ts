import { declareCommand, runCommand } from "../command-line/command.ts";
import { deployedNames } from "../constructs/environment-names.ts";
import { deployOptions } from "./deploy/options.ts";

export const command = declareCommand({
  name: "deploy",
  summary: "deploys an environment, creates its first Tenant and runs the smoke test",
  takes: [{ name: "environment", about: "one of", choices: deployedNames }],
  options: deployOptions,
  passesOptionsTo: "cdk deploy",
  notes: `For unattended deployments add --require-approval never, an option of cdk deploy.
A repeated command skips what is done.`,
  run: async ({ words: [name = ""], options, passed }) => {
    const { toEnvironmentName } = await import("../environments.ts");
    const { deployEnvironment } = await import("./deploy/deploy-environment.ts");
    await deployEnvironment({ ...options, environment: toEnvironmentName(name), ofCdk: passed });
  },
});

if (import.meta.main) await runCommand(command);
