/**
 * `npm run authority -- [--environment <name>] list | trust <ca> | issue <ca> | remove <ca> [--even-in-use]`: the environment's certificate authorities, and
 * with them the steps of a rotation. What changes whom the gateway trusts is published at once: by a deployment, or to the platform of this machine.
 */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { administer } from "./administration.ts";
import { readConnection } from "./running-platform.ts";

const usage = `Usage: npm run authority -- [--environment <name>] <step>

  list                          the certificate authorities, and what each is
  trust <ca>                    makes the CA of a key of the environment's settings, and trusts its certificates
  issue <ca>                    has it sign from now on; the one from before stays trusted
  remove <ca> [--even-in-use]   trusts its certificates no more, once they have all expired

Without an environment it is the platform that runs on this machine. docs/certificates.md tells when to take which step.`;

const steps: Readonly<Record<string, { readonly command: string; readonly publishes: boolean }>> = {
  trust: { command: "trust-authority", publishes: true },
  issue: { command: "issue-with-authority", publishes: false },
  remove: { command: "remove-authority", publishes: true },
};

async function run(words: string[]): Promise<void> {
  const { environment, evenInUse, step, name } = readWords(words);
  if (step === "list" && name === undefined) {
    console.log(await administer(environment, "list-authorities", {}));
    return;
  }
  const known = Object.hasOwn(steps, step) ? steps[step] : undefined;
  if (known === undefined || name === undefined || (evenInUse && step !== "remove")) throw new Error(usage);
  console.log(await administer(environment, known.command, { name, ...(evenInUse && { evenInUse }) }));
  if (known.publishes) await publish(environment);
}

function readWords(words: string[]) {
  const { values, positionals } = parse(words);
  const [step, name, ...more] = positionals;
  if (step === undefined || more.length > 0) throw new Error(usage);
  const { environment, "even-in-use": evenInUse = false } = values;
  return { environment: environment === "local" ? undefined : environment, evenInUse, step, name };
}

function parse(words: string[]) {
  const options = { environment: { type: "string" }, "even-in-use": { type: "boolean" } } as const;
  try {
    return parseArgs({ args: words, options, allowPositionals: true });
  } catch {
    throw new Error(usage);
  }
}

/** Has the gateway go by the CAs as they are now. */
async function publish(environment: string | undefined): Promise<void> {
  if (environment === undefined) {
    const response = await fetch(`${readConnection().controlUrl}/truststore`, { method: "POST" });
    if (!response.ok) throw new Error(`The gateway did not take the truststore: ${await response.text()}`);
    return;
  }
  const deploy = path.join(import.meta.dirname, "deploy.ts");
  const { status: exitStatus } = spawnSync(process.execPath, [deploy, environment, "--no-caller"], {
    stdio: "inherit",
  });
  if (exitStatus !== 0) {
    throw new Error(`The step is done and not published: npm run deploy -- ${environment} publishes it.`);
  }
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
