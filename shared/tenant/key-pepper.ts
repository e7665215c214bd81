import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { environment } from "../environment.ts";

/** The one Secrets Manager client. */
const secrets = new SecretsManagerClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000 },
});

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
  const { SecretString } = await secrets.send(
    new GetSecretValueCommand({ SecretId: environment.keyPepperSecretId }),
  );
  if (!SecretString) throw new Error("The secret of the key pepper has no value.");
  return SecretString;
}
