import path from "node:path";
import { untilStopped } from "../command-line/clean-up.ts";
import { declareCommand, runCommand } from "../command-line/command.ts";
import { readConnection } from "../command-line/connection.ts";
import { findConnectionFile } from "../command-line/connection-file.ts";
import { text, UsageError } from "../command-line/options.ts";
import { say } from "../command-line/print.ts";

export const command = declareCommand({
  name: "listen",
  summary: "prints each webhook of the running local platform as a line, and can forward it, until Ctrl-C",
  takes: [{ name: "url", about: "of your server, such as http://127.0.0.1:3000/hooks", is: "optional" }],
  options: {
    types: text("<numbers>", "with commas, as eventTypes; default: all but 90, each balance"),
  },
  notes: `It registers one endpoint of the demo Program, whose secret stays in listen.json beside connection.json, and removes
it at the end. Each line has the end of the webhook-id, by which your server knows a repeated delivery. A notification is
forwarded as it came, headers too, and your server's status is what the platform gets.
docs/webhooks.md has the notifications.`,
  run: async ({ words: [url], options: { types } }) => {
    if (url !== undefined && !/^https?:\/\//.test(url))
      throw new UsageError(`The url is "${url}"; it must begin with http:// or https://.`);
    const { EventType } = await import("../../shared/contract/enums.ts");
    const connection = readConnection();
    const { startListening } = await import("./listen/start-listening.ts");
    const stopped = untilStopped();
    const listening = await startListening({
      connection,
      secretFile: path.join(path.dirname(findConnectionFile()), "listen.json"),
      eventTypes:
        types === undefined ? allBut(EventType.balanceChanged, EventType) : readTypes(types, EventType),
      ...(url !== undefined && { forwardTo: url }),
    });
    say(`Listening at ${listening.url}. The secret is ${listening.secret}`);
    await stopped;
    await listening.stop();
    say("The endpoint is removed.");
    return true;
  },
});

function allBut(left: number, types: Readonly<Record<string, number>>): number[] {
  return Object.values(types).filter((type) => type !== left);
}

function readTypes(given: string, known: Readonly<Record<string, number>>): number[] {
  const numbers = given.split(",").map(Number);
  const unknown = numbers.find((one) => !Object.values(known).includes(one));
  if (unknown === undefined) return numbers;
  throw new UsageError(
    Number.isNaN(unknown)
      ? `--types is "${given}"; it must be numbers with commas, such as 1,2,20.`
      : `--types has ${unknown}, which is no type: docs/webhook-events.md lists them.`,
  );
}

if (import.meta.main) await runCommand(command);
