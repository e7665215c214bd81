/**
 * `npm run operator -- [--environment <name>] <command> [input as JSON]`: platform administration, of a deployed environment with the caller's own AWS
 * credentials, or of the platform that runs on this machine.
 */
import { parseArgs } from "node:util";
import { administer } from "./administration.ts";
import { deadLetters, deadLettersUsage } from "./dead-letters/command.ts";
import type { WriteDown } from "./dead-letters/write-down.ts";

const usage = `Usage: npm run operator -- [--environment <name>] <command> [input]

  npm run operator -- create-tenant '{"name":"A Tenant","contactEmail":"them@customer.example"}'
  npm run operator -- --environment staging list-tickets

${deadLettersUsage}

Without an environment it is the platform that runs on this machine. The answer is one line of JSON. Each command and its input stand in
shared/contract/operator.ts and, for certificates, shared/contract/authority.ts.`;

async function run(words: string[]): Promise<string> {
  const { values, positionals } = parse(words);
  const { environment } = values;
  const [first, ...others] = positionals;
  if (first === "dead-letters") {
    const writeDown: WriteDown = (command, input) => administer(environment, command, input);
    return JSON.stringify(await deadLetters(others, { environment: environment ?? "local", writeDown }));
  }
  const { command, input } = readCommand(positionals);
  return administer(environment, command, input);
}

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

try {
  console.log(await run(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
