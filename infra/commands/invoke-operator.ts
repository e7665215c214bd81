import { hash } from "node:crypto";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { STSClient } from "@aws-sdk/client-sts";
import * as z from "zod";
import { authorityCommands } from "../../shared/contract/authority.ts";
import {
  type CallerProof,
  type GivenCommand,
  identityEndpoint,
  identityRequest,
} from "../../shared/contract/caller-proof.ts";
import { localCredentials, readConnection } from "../command-line/connection.ts";
import { certificatesFunctionName, operatorFunctionName } from "../constructs/names.ts";
import type { Settings } from "../environments.ts";
import { readWritingSettings } from "./deployed-store.ts";

interface Target {
  readonly lambda: LambdaClient;
  readonly environmentName: string;
  /** The local platform needs none. */
  readonly sign?: (given: GivenCommand) => Promise<CallerProof>;
}

const Failure = z.object({ errorMessage: z.string() });

/**
 * Runs a platform administration command and returns its JSON: in AWS with the caller's
 * credentials, in the region that writes, or locally without an environment. Throws if it is
 * rejected.
 */
export async function administer(environment: string | undefined, command: string, input: unknown) {
  const isHere = environment === undefined || environment === "local";
  const target = isHere ? onThisMachine() : inRegion(await readWritingSettings(environment));
  return carryOut(target, command, input);
}

/** In the region of these settings. */
export function administerThere(place: Pick<Settings, "name" | "region">, command: string, input: unknown) {
  return carryOut(inRegion(place), command, input);
}

async function carryOut({ lambda, environmentName, sign }: Target, command: string, input: unknown) {
  const toFunctionName = Object.hasOwn(authorityCommands, command)
    ? certificatesFunctionName
    : operatorFunctionName;
  const caller = await sign?.({ environment: environmentName, command, input });
  const Payload = new TextEncoder().encode(JSON.stringify({ command, input, caller }));
  const answer = await lambda.send(
    new InvokeCommand({ FunctionName: toFunctionName(environmentName), Payload }),
  );
  const text = new TextDecoder().decode(answer.Payload);
  if (answer.FunctionError !== undefined) throw new Error(Failure.parse(JSON.parse(text)).errorMessage);
  return text;
}

function inRegion({ name: environmentName, region }: Pick<Settings, "name" | "region">): Target {
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

/** So that the function can verify the caller. */
export async function signCommand(
  region: string,
  given: GivenCommand,
  sts = new STSClient({ region }),
): Promise<CallerProof> {
  const { host, hostname, protocol, port } = identityEndpoint(region, process.env);
  const signer = await sts.config.signer();
  const { headers } = await signer.sign({
    ...identityRequest(host, given, (text) => hash("sha256", text)),
    protocol,
    hostname,
    ...(port !== "" && { port: Number(port) }),
    query: {},
  });
  const { authorization = "", "x-amz-date": date = "", "x-amz-security-token": securityToken } = headers;
  return { authorization, date, ...(securityToken !== undefined && { securityToken }) };
}
