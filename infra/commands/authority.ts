import path from "node:path";
import { declareCommand, runCommand } from "../command-line/command.ts";
import { readConnection } from "../command-line/connection.ts";
import { flag, text, UsageError } from "../command-line/options.ts";

const steps: Readonly<Record<string, { readonly command: string; readonly publishes: boolean }>> = {
  trust: { command: "trust-authority", publishes: true },
  issue: { command: "issue-with-authority", publishes: false },
  remove: { command: "remove-authority", publishes: true },
};

export const command = declareCommand({
  name: "authority",
  summary: "lists and rotates an environment's certificate authorities, and publishes their certificates",
  takes: [
    { name: "step", about: "see below", choices: ["list", "trust", "issue", "remove"] },
    { name: "ca", about: "its name in the environment's settings; not for list", is: "optional" },
  ],
  options: {
    environment: text("<name>", "a deployed one; default: the platform on this machine"),
    "even-in-use": flag("removes a CA whose certificates have not all expired"),
  },
  notes: `  list    the certificate authorities and their state
  trust   creates the CA of a key in the environment's settings and trusts its certificates
  issue   signs new certificates with it; the former CA stays trusted
  remove  stops trusting its certificates; they must all have expired

docs/certificates.md describes a rotation.`,
  run: async ({ words: [step = "", name], options }) => {
    const environment = options.environment === "local" ? undefined : options.environment;
    const evenInUse = options["even-in-use"];
    const { administer } = await import("./invoke-operator.ts");
    const known = steps[step];
    if ((known === undefined) !== (name === undefined))
      throw new UsageError(name === undefined ? "The ca is missing." : "list takes no ca.");
    if (evenInUse && step !== "remove") throw new UsageError("--even-in-use is an option of remove.");
    if (known === undefined) {
      console.log(await administer(environment, "list-authorities", {}));
      return;
    }
    console.log(await administer(environment, known.command, { name, ...(evenInUse && { evenInUse }) }));
    if (!known.publishes) return;
    const { orSay } = await import("../command-line/clean-up.ts");
    const again = `The step succeeded but is not published. To publish it: ${toPublish(environment)}`;
    await orSay(
      () => again,
      () => publish(environment),
    );
  },
});

function toPublish(environment: string | undefined): string {
  return environment === undefined ? "repeat the command" : `npm run deploy -- ${environment}`;
}

async function publish(environment: string | undefined): Promise<void> {
  if (environment === undefined) {
    const response = await fetch(`${readConnection().controlUrl}/truststore`, { method: "POST" });
    if (!response.ok) throw new Error(`The gateway rejected the truststore: ${await response.text()}`);
    return;
  }
  const deploy = path.join(import.meta.dirname, "deploy.ts");
  const words = [deploy, environment, "--no-caller"];
  const { runProgram } = await import("../command-line/run-program.ts");
  const { exitStatus } = await runProgram(process.execPath, words);
  if (exitStatus !== 0) throw new Error("The deployment failed.");
}

if (import.meta.main) await runCommand(command);
