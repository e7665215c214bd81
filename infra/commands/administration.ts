import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import * as z from "zod";
import { authorityCommands } from "../../shared/contract/authority.ts";
import type { CallerProof, GivenCommand } from "../../shared/contract/caller-proof.ts";
import { certificatesFunctionName, operatorFunctionName } from "../constructs/function-names.ts";
import { localCredentials, readConnection } from "./running-platform.ts";

interface Target {
  readonly lambda: LambdaClient;
  readonly environmentName: string;
  /** Signs a command with the caller's credentials. Not needed locally. */
  readonly sign?: (given: GivenCommand) => Promise<CallerProof>;
}

const Failure = z.object({ errorMessage: z.string() });

/**
 * Runs a platform administration command and returns its output as JSON: in AWS with the caller's
 * credentials, or locally without an environment. Throws when the command is rejected.
 */
export async function administer(
  environment: string | undefined,
  command: string,
  input: unknown,
): Promise<string> {
  const { lambda, environmentName, sign } =
    environment === undefined ? onThisMachine() : await deployed(environment);
  const nameOf = Object.hasOwn(authorityCommands, command) ? certificatesFunctionName : operatorFunctionName;
  const caller = await sign?.({ environment: environmentName, command, input });
  const Payload = new TextEncoder().encode(JSON.stringify({ command, input, caller }));
  const answer = await lambda
    .send(new InvokeCommand({ FunctionName: nameOf(environmentName), Payload }))
    .catch((error: NodeJS.ErrnoException) => {
      if (environment !== undefined || error.code !== "ECONNREFUSED") throw error;
      throw new Error("The platform on this machine does not answer. Start it with npm start.");
    });
  const text = new TextDecoder().decode(answer.Payload);
  if (answer.FunctionError !== undefined) throw new Error(Failure.parse(JSON.parse(text)).errorMessage);
  return text;
}

/** Imports the settings late: they load the CDK, which is slow and unnecessary locally. */
async function deployed(name: string): Promise<Target> {
  const { settingsOf, toEnvironmentName } = await import("../environments.ts");
  const { name: environmentName, region } = settingsOf(toEnvironmentName(name));
  if (environmentName === "local") return onThisMachine();
  const { signCommand } = await import("./sign-command.ts");
  const sign = (given: GivenCommand) => signCommand(region, given);
  return { lambda: new LambdaClient({ region }), environmentName, sign };
}

function onThisMachine(): Target {
  const { operatorUrl, store } = readConnection();
  const { origin: endpoint } = new URL(operatorUrl);
  const { region } = store;
  const lambda = new LambdaClient({ endpoint, region, credentials: localCredentials, maxAttempts: 1 });
  return { lambda, environmentName: "local" };
}
