/** `npm run operator`: platform administration, in AWS or on this machine. */

import { parseWords, runCommand } from "./command-line.ts";
import { deadLetters, deadLettersUsage, type WriteAudit } from "./dead-letters.ts";
import { administer } from "./invoke-operator.ts";

const usage = `Usage: npm run operator -- [--environment <name>] <command> [input]

  npm run operator -- create-tenant '{"name":"A Tenant","contactEmail":"them@customer.example"}'
  npm run operator -- --environment staging list-tickets

${deadLettersUsage}

Without --environment: the platform on this machine. With it: AWS, with your credentials. The answer is one line of JSON.
Commands and inputs: shared/contract/operator.ts and, for certificates, shared/contract/authority.ts.`;

await runCommand(async (words) => {
  const { values, positionals } = parseWords(words, { environment: { type: "string" } }, usage);
  const { environment } = values;
  const [command, text = "{}", ...more] = positionals;
  if (command === "dead-letters") {
    const writeAudit: WriteAudit = (command, input) => administer(environment, command, input);
    const options = { environment: environment ?? "local", writeAudit };
    console.log(JSON.stringify(await deadLetters(positionals.slice(1), options)));
    return;
  }
  if (command === undefined || more.length > 0) throw new Error(usage);
  console.log(await administer(environment, command, parseInput(text)));
});

function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The input is not JSON: ${text}\n\n${usage}`);
  }
}
