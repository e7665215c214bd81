import { environment } from "../../platform/environment.ts";

let pepper: Promise<string> | undefined;

/** Read once per process, and again only after a failure. */
export function keyPepper(): Promise<string> {
  pepper ??= readPepper().catch((error: unknown) => {
    pepper = undefined;
    throw error;
  });
  return pepper;
}

async function readPepper(): Promise<string> {
  // Imported here: callers rejected before the key check do not need it.
  const { readSecret } = await import("../../platform/read-secret.ts");
  return readSecret(environment.keyPepperSecretId);
}
