import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment, RawAnswer } from "./deployment.ts";

const intervalMs = 5_000;

/** As much of a deployment as is asked while waiting. */
export type Asked = Pick<Deployment, "connection" | "raw">;

export interface Patience {
  readonly seconds: number;
  readonly tell: (line: string) => void;
  /** Between two tries; another one in tests. */
  readonly intervalMs?: number;
}

/**
 * Waits until a deployment accepts requests: DNS, truststore, usage keys and allowlist caches take
 * seconds to minutes. Writes nothing.
 * @throws Error with what was found last, when the time is over
 */
export async function untilItTakesRequests(deployment: Asked, patience: Patience): Promise<void> {
  const until = Date.now() + patience.seconds * 1_000;
  for (let told = ""; ; ) {
    const lacking = await firstLacking(deployment);
    if (lacking === undefined) return;
    if (Date.now() >= until) throw new Error(`It takes no requests: ${lacking}`);
    if (lacking !== told) patience.tell(`# waiting: ${lacking}`);
    told = lacking;
    await sleep(patience.intervalMs ?? intervalMs);
  }
}

/** One request for each of the usage keys. */
async function firstLacking(deployment: Asked): Promise<string | undefined> {
  const { programApiKey, tenantApiKey, sandboxUrl } = deployment.connection;
  const program = { "X-API-Key": programApiKey };
  const malformed = { body: "{" };
  const probes: [string, () => Promise<RawAnswer>, number][] = [
    ["GET /cards", () => deployment.raw("GET /cards?limit=1", program), 200],
    ["POST /cardholders", () => deployment.raw("POST /cardholders", program, malformed), 400],
    ["POST /wallets/transfer", () => deployment.raw("POST /wallets/transfer", program, malformed), 400],
    [
      "GET /account/programs",
      () => deployment.raw("GET /account/programs", { "X-API-Key": tenantApiKey }),
      200,
    ],
  ];
  if (sandboxUrl !== undefined) {
    const path = "/sandbox/cardholders/chd_00000000000000000000000000/kyc-outcome";
    probes.push(["POST /sandbox/…", () => deployment.raw(`POST ${path}`, program, malformed), 400]);
  }
  for (const [what, ask, expected] of probes) {
    const found = await ask().then(({ status }) => String(status), messageOf);
    if (found !== String(expected)) return `${what} answers ${found}`;
  }
  return undefined;
}

function messageOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
