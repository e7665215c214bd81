import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import { findConnectionFile, readConnectionFile } from "../../../infra/command-line/connection-file.ts";
import { say } from "../../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "demo",
  summary:
    "gives a tour of the running local platform: from the first Cardholder to a purchase over the card network",
  run: async () => {
    const file = findConnectionFile();
    const { Connection } = await import("../../../infra/development/connection.ts");
    const { Narrator } = await import("./narrator.ts");
    const { startDemoReceiver } = await import("./receiver.ts");
    const { tellStory } = await import("./story.ts");
    const connection = readConnectionFile(file, Connection);
    const receiver = await startDemoReceiver(connection);
    try {
      say(`The platform at ${connection.baseUrl} tells its story.`);
      await tellStory(new Narrator(), connection, receiver);
      say("\nThat is the story so far.");
    } finally {
      receiver?.stop();
    }
  },
});

if (import.meta.main) await runCommand(command);
