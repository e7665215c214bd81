import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { requestLimits } from "./request-limits.ts";

const secrets = new SecretsManagerClient({
  maxAttempts: 3,
  requestHandler: requestLimits(2_000),
});

/** @throws Error if the secret has no value */
export async function readSecret(secretId: string): Promise<string> {
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: secretId }));
  if (!SecretString) throw new Error(`The secret ${secretId} has no value.`);
  return SecretString;
}
