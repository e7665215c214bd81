/** `npm run demo`: shows the platform that runs on this machine. */
import { readConnection } from "../../infra/development/connection.ts";
import { readSettings } from "../../infra/development/settings.ts";
import { Narrator } from "./narrator.ts";
import { startDemoReceiver } from "./receiver.ts";
import { tellStory } from "./story.ts";

const { directory } = readSettings(process.env);
const connection = readConnection(directory);
if (!connection) {
  console.error(
    `No platform runs in ${directory}. Start it with npm start, and run this in another terminal.`,
  );
  process.exit(1);
}

const receiver = await startDemoReceiver(connection);
try {
  console.log(`The platform at ${connection.baseUrl} tells its story.`);
  await tellStory(new Narrator(), connection, receiver);
  console.log("\nThat is the story so far.");
} catch (error) {
  const isRefused = error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
  const message = error instanceof Error ? error.message : String(error);
  console.error(
    isRefused ? `Nothing answers at ${connection.baseUrl}. Start the platform with npm start.` : message,
  );
  process.exitCode = 1;
} finally {
  receiver?.stop();
}
