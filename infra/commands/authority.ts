/**
 * `npm run authority`: lists and rotates an environment's CAs, and publishes their certificates.
 */

import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseWords, runCommand } from "./command-line.ts";
import { administer, readConnection } from "./invoke-operator.ts";

const usage = `Usage: npm run authority -- [--environment <name>] <step>

  list                          the certificate authorities and their state
  trust <ca>                    creates the CA of a key in the environment's settings and trusts its certificates
  issue <ca>                    signs new certificates with it; the former CA stays trusted
  remove <ca> [--even-in-use]   stops trusting its certificates; they must all have expired

Without --environment: the platform on this machine. docs/certificates.md describes a rotation.`;

const steps: Readonly<Record<string, { readonly command: string; readonly publishes: boolean }>> = {
  trust: { command: "trust-authority", publishes: true },
  issue: { command: "issue-with-authority", publishes: false },
  remove: { command: "remove-authority", publishes: true },
};

await runCommand(async (words) => {
  const options = { environment: { type: "string" }, "even-in-use": { type: "boolean" } } as const;
  const { values, positionals } = parseWords(words, options, usage);
  const [step = "", name, ...more] = positionals;
  const { "even-in-use": evenInUse = false } = values;
  const environment = values.environment === "local" ? undefined : values.environment;
  if (step === "list" && name === undefined) {
    console.log(await administer(environment, "list-authorities", {}));
    return;
  }
  const known = Object.hasOwn(steps, step) ? steps[step] : undefined;
  if (known === undefined || name === undefined || more.length > 0 || (evenInUse && step !== "remove"))
    throw new Error(usage);
  console.log(await administer(environment, known.command, { name, ...(evenInUse && { evenInUse }) }));
  if (known.publishes) await publish(environment);
});

async function publish(environment: string | undefined): Promise<void> {
  if (environment === undefined) {
    const response = await fetch(`${readConnection().controlUrl}/truststore`, { method: "POST" });
    if (!response.ok) throw new Error(`The gateway rejected the truststore: ${await response.text()}`);
    return;
  }
  const deploy = path.join(import.meta.dirname, "deploy.ts");
  const words = [deploy, environment, "--no-caller"];
  const { status: exitStatus } = spawnSync(process.execPath, words, { stdio: "inherit" });
  if (exitStatus !== 0) {
    throw new Error(
      `The step succeeded but is not published. To publish it: npm run deploy -- ${environment}`,
    );
  }
}
