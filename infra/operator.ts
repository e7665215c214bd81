/**
 * `npm run operator -- [--environment <name>] <command> [input as JSON]`: platform administration, of a deployed environment with the caller's own AWS
 * credentials, or of the platform that runs on this machine.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import * as z from "zod";
import { deadLetters, deadLettersUsage } from "./dead-letters/command.ts";
import type { WriteDown } from "./dead-letters/discard.ts";
import { operatorFunctionName } from "./operator-function-name.ts";

const usage = `Usage: npm run operator -- [--environment <name>] <command> [input]

  npm run operator -- create-tenant '{"name":"A Tenant"}'
  npm run operator -- --environment staging list-tickets

${deadLettersUsage}

Without an environment it is the platform that runs on this machine. The answer is one line of JSON. Each command and its input stand in
shared/contract/operator.ts.`;

/** Where the operator function is invoked. */
interface Target {
  readonly lambda: LambdaClient;
  readonly functionName: string;
}

async function run(words: string[]): Promise<string> {
  const { values, positionals } = parse(words);
  const { environment } = values;
  const [first, ...others] = positionals;
  if (first === "dead-letters") {
    const writeDown: WriteDown = (letter) => operate(environment, "record-discard", letter);
    return JSON.stringify(await deadLetters(others, { environment: environment ?? "local", writeDown }));
  }
  const { command, input } = readCommand(positionals);
  return operate(environment, command, input);
}

async function operate(environment: string | undefined, command: string, input: unknown): Promise<string> {
  const { lambda, functionName } = environment === undefined ? runningHere() : await deployed(environment);
  const Payload = new TextEncoder().encode(JSON.stringify({ command, input }));
  const answer = await lambda
    .send(new InvokeCommand({ FunctionName: functionName, Payload }))
    .catch((error: NodeJS.ErrnoException) => {
      if (environment === undefined && error.code === "ECONNREFUSED") throw new Error(notRunning);
      throw error;
    });
  const text = new TextDecoder().decode(answer.Payload);
  if (answer.FunctionError !== undefined) throw new Error(Failure.parse(JSON.parse(text)).errorMessage);
  return text;
}

const notRunning = "The platform of this machine does not answer. Start it with npm start.";
const Failure = z.object({ errorMessage: z.string() });

function readCommand([command, text = "{}", ...more]: string[]) {
  if (command === undefined || more.length > 0) throw new Error(usage);
  try {
    return { command, input: JSON.parse(text) as unknown };
  } catch {
    throw new Error(`The input is not JSON: ${text}\n\n${usage}`);
  }
}

function parse(words: string[]) {
  try {
    return parseArgs({ args: words, options: { environment: { type: "string" } }, allowPositionals: true });
  } catch {
    throw new Error(usage);
  }
}

/** The environments' settings load the CDK, which a local command should not wait for. */
async function deployed(name: string): Promise<Target> {
  const { settingsOf, toEnvironmentName } = await import("./environments.ts");
  const settings = settingsOf(toEnvironmentName(name));
  if (settings.name === "local") return runningHere();
  return {
    lambda: new LambdaClient({ region: settings.region }),
    functionName: operatorFunctionName(settings.name),
  };
}

const Connection = z.object({ operatorUrl: z.url() });
const functionPath = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

/** The platform that runs on this machine, as its connection says. */
function runningHere(): Target {
  const directory = path.resolve(process.env.LOCAL_DIR ?? ".local");
  const file = path.join(directory, "connection.json");
  if (!existsSync(file)) throw new Error(`No platform runs in ${directory}. Start it with npm start.`);
  const url = new URL(Connection.parse(JSON.parse(readFileSync(file, "utf8"))).operatorUrl);
  const functionName = functionPath.exec(url.pathname)?.[1];
  if (functionName === undefined) throw new Error(`${file} does not say where the operator function is.`);
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const lambda = new LambdaClient({ endpoint: url.origin, region: "local", credentials, maxAttempts: 1 });
  return { lambda, functionName };
}

try {
  console.log(await run(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
