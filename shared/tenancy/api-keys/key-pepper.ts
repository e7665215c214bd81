import { environment } from "../../platform/environment.ts";

let pepper: Promise<string> | undefined;

/** The pepper of this environment's key hashes: read once in the life of a process, and again only after a failure. */
export function keyPepper(): Promise<string> {
  pepper ??= readPepper().catch((error: unknown) => {
    pepper = undefined;
    throw error;
  });
  return pepper;
}

async function readPepper(): Promise<string> {
  // With its client, which whoever is refused before a key counts can do without.
  const { readSecret } = await import("../../platform/read-secret.ts");
  return readSecret(environment.keyPepperSecretId);
}
