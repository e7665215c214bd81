import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import type { Settings } from "../../environments.ts";

/**
 * Whose credentials these are.
 *
 * @throws Error where there are none, they do not hold, or they are of another account than the environment's
 */
export async function checkCredentials({ name, account, region }: Settings): Promise<string> {
  const sts = new STSClient({ region });
  const identity = await sts.send(new GetCallerIdentityCommand({})).catch((error: unknown) => {
    throw new Error(`${messageOf(error)}\n${advice}`, { cause: error });
  });
  if (identity.Account !== account) {
    throw new Error(
      `These credentials are of account ${identity.Account} (${identity.Arn}), and ${name} is account ${account} (infra/environments.ts).\n${advice}`,
    );
  }
  return identity.Arn ?? account;
}

const advice =
  "Credentials of the environment's account are needed: AWS_PROFILE and aws sso login, or AWS_ACCESS_KEY_ID and its like.";

function messageOf(error: unknown): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return name === "CredentialsProviderError"
    ? "There are no AWS credentials here."
    : `AWS does not take these credentials: ${message}`;
}
