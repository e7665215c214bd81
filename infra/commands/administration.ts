import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import * as z from "zod";
import { authorityCommands } from "../../shared/contract/authority.ts";
import type { CallerProof, GivenCommand } from "../../shared/contract/caller-proof.ts";
import { certificatesFunctionName, operatorFunctionName } from "../constructs/function-names.ts";
import { localCredentials, readConnection } from "./running-platform.ts";

/** Where the functions of an environment are invoked; none is named for the platform that runs on this machine. */
interface Target {
  readonly lambda: LambdaClient;
  readonly environmentName: string;
  /** Signs a command with the caller's credentials; not needed on this machine. */
  readonly sign?: (given: GivenCommand) => Promise<CallerProof>;
}

const Failure = z.object({ errorMessage: z.string() });

/**
 * Has a command of platform administration carried out by the function that takes it, and answers its output as JSON: in a deployed environment with the
 * caller's own AWS credentials, or on the platform of this machine where no environment is named. Errors: why the command was refused.
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
      if (environment === undefined && error.code === "ECONNREFUSED") throw new Error(notRunning);
      throw error;
    });
  const text = new TextDecoder().decode(answer.Payload);
  if (answer.FunctionError !== undefined) throw new Error(Failure.parse(JSON.parse(text)).errorMessage);
  return text;
}

const notRunning = "The platform of this machine does not answer. Start it with npm start.";

/** The environments' settings load the CDK, which a local command should not wait for. */
async function deployed(name: string): Promise<Target> {
  const { settingsOf, toEnvironmentName } = await import("../environments.ts");
  const settings = settingsOf(toEnvironmentName(name));
  if (settings.name === "local") return onThisMachine();
  const { name: environmentName, region } = settings;
  const { signCommand } = await import("./sign-command.ts");
  return {
    lambda: new LambdaClient({ region }),
    environmentName,
    sign: (given) => signCommand(region, given),
  };
}

function onThisMachine(): Target {
  const { operatorUrl, store } = readConnection();
  const { origin: endpoint } = new URL(operatorUrl);
  const { region } = store;
  const lambda = new LambdaClient({ endpoint, region, credentials: localCredentials, maxAttempts: 1 });
  return { lambda, environmentName: "local" };
}
