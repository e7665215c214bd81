import { createHash, createHmac } from "node:crypto";
import { now } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";

/** What hashes API keys: one pepper or, while it is rotated, two. */
interface Peppers {
  /** New hashes are made under it. */
  readonly current: string;
  readonly other?: string;
}

/** How old what a process has read may be when it finds no key with it, or makes one. */
const freshMs = 10_000;
/** So long after a rotation has begun, every process knows the new pepper or reads it in time. */
const overlapMs = 60_000;

const underRotation = /^(?<newer>\S+) (?<former>\S+) (?<since>\d{4}-\d\d-\d\dT\S+Z)$/;

/** The secret is one pepper or, during a rotation, the new one, the former one, and since when. */
export function readRotation(
  secret: string,
): { readonly newer: string; readonly former: string; readonly since: Date } | undefined {
  const { newer, former, since = "" } = underRotation.exec(secret)?.groups ?? {};
  return newer && former ? { newer, former, since: new Date(since) } : undefined;
}

function parsePeppers(secret: string, at: Date): Peppers {
  const rotation = readRotation(secret);
  if (rotation === undefined) return { current: secret };
  const { newer, former, since } = rotation;
  const isKnown = at.getTime() >= since.getTime() + overlapMs;
  return isKnown ? { current: newer, other: former } : { current: former, other: newer };
}

export function rotatedSecret(secret: string, pepper: string, at: Date): string {
  return `${pepper} ${secret} ${at.toISOString()}`;
}

export function hashUnder(pepper: string, apiKey: string): string {
  return createHmac("sha256", pepper).update(apiKey).digest("hex");
}

/** Names a pepper, and says nothing about it: peppers are random. */
export function pepperMark(pepper: string): string {
  return createHash("sha256").update(`mark ${pepper}`).digest("hex").slice(0, 8);
}

let read: { readonly secret: Promise<string>; readonly atMs: number } | undefined;

/** Read once per process, and again after a failure, or if it may have changed and that matters. */
export async function readPeppers({ isFresh = false } = {}): Promise<Peppers> {
  const at = now();
  if (read === undefined || (isFresh && Math.abs(at.getTime() - read.atMs) >= freshMs)) {
    const reading = { secret: readPepperSecret(), atMs: at.getTime() };
    read = reading;
    reading.secret.catch(() => {
      if (read === reading) read = undefined;
    });
  }
  return parsePeppers(await read.secret, at);
}

async function readPepperSecret(): Promise<string> {
  // Imported here: callers rejected before the key check do not need it.
  const { readSecret } = await import("../../platform/read-secret.ts");
  return readSecret(environment.keyPepperSecretId);
}
