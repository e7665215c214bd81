import { declareCommand, runCommand } from "../command-line/command.ts";
import { environment, UsageError } from "../command-line/options.ts";
import { sources } from "./dead-letters/sources.ts";
import type { WriteAudit } from "./dead-letters.ts";

export const command = declareCommand({
  name: "operator",
  summary: "runs a command of the platform's operator, and prints its answer as one line of JSON",
  takes: [
    { name: "command", about: "see docs/administration.md and shared/contract/operator.ts" },
    { name: "input", about: "JSON; default: {}", is: "repeatable" },
  ],
  options: {
    environment,
  },
  notes: `  npm run operator -- create-tenant '{"name":"A Tenant","contactEmail":"them@customer.example"}'
  npm run operator -- --environment staging list-tickets

Dead letters, by queue (${sources.join(", ")}):

  npm run operator -- dead-letters                                        counts them
  npm run operator -- dead-letters show <queue>                           lists their kinds and owners
  npm run operator -- dead-letters redrive <queue> [message id]           returns all or one to the queue
  npm run operator -- dead-letters discard <queue> <message id> <reason>  deletes one permanently`,
  failsIf: "the command was rejected",
  run: async ({ words: [name = "", ...words], options: { environment } }) => {
    const { administer } = await import("./invoke-operator.ts");
    if (name === "dead-letters") {
      const { deadLetters } = await import("./dead-letters.ts");
      const writeAudit: WriteAudit = (command, input) => administer(environment, command, input);
      const target = { environment: environment ?? "local", writeAudit };
      console.log(JSON.stringify(await deadLetters(words, target)));
      return;
    }
    const [input = "{}", ...more] = words;
    if (more.length > 0) throw new UsageError(`"${more[0]}" is one argument too many.`);
    console.log(await administer(environment, name, parseInput(input)));
  },
});

function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`The input is not JSON: ${text}`);
  }
}

if (import.meta.main) await runCommand(command);
