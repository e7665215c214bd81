import { declareCommand, runCommand } from "../command-line/command.ts";
import { environment, UsageError } from "../command-line/options.ts";
import { sources } from "./dead-letters/sources.ts";
import type { WriteAudit } from "./dead-letters.ts";

export const command = declareCommand({
  name: "operator",
  summary: "runs a command of the platform's operator, and prints its answer as one line of JSON",
  takes: [
    { name: "command", about: "default: lists all, a line each", is: "optional" },
    { name: "input", about: "JSON; or its fields as options", is: "repeatable" },
  ],
  options: {
    environment,
  },
  passesOptionsTo: "the command",
  helpFor: async ([name = ""]) => {
    if (name === "" || name === "dead-letters") return undefined;
    const { describeCommand, findCommand } = await import("./operator/contract.ts");
    return describeCommand(findCommand(name));
  },
  notes: `  npm run operator -- create-tenant --help                                says what it takes
  npm run operator -- create-tenant '{"name":"A Tenant","contactEmail":"them@customer.example"}'
  npm run operator -- --environment staging list-tickets

Dead letters, by queue (${sources.join(", ")}):

  npm run operator -- dead-letters                                        counts them
  npm run operator -- dead-letters show <queue>                           lists their kinds and owners
  npm run operator -- dead-letters redrive <queue> [message id]           returns all or one to the queue
  npm run operator -- dead-letters discard <queue> <message id> <reason>  deletes one permanently`,
  failsIf: "the command was rejected",
  run: async ({ words: [name, ...words], options: { environment }, passed }) => {
    const { findCommand, listCommands, readInput } = await import("./operator/contract.ts");
    const isOwn = name === undefined || name === "dead-letters";
    if (isOwn && passed[0] !== undefined) throw new UsageError(`Unknown option '${passed[0]}'.`);
    if (name === undefined) {
      console.log(listCommands());
      return;
    }
    const { administer } = await import("./invoke-operator.ts");
    if (name === "dead-letters") {
      const { deadLetters } = await import("./dead-letters.ts");
      const writeAudit: WriteAudit = (command, input) => administer(environment, command, input);
      const target = { environment: environment ?? "local", writeAudit };
      console.log(JSON.stringify(await deadLetters(words, target)));
      return;
    }
    const [json, ...more] = words;
    if (more.length > 0) throw new UsageError(`"${more[0]}" is one argument too many.`);
    console.log(await administer(environment, name, readInput(findCommand(name), json, passed)));
  },
});

if (import.meta.main) await runCommand(command);
