/** `npm run drill`: restores a copy of a running platform's store, and times each step. */
import { drill } from "./drill.ts";

process.env.TZ = "UTC";
try {
  await drill(console.log);
  console.log("The drill passed.");
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
// Clients of the drill may still hold connections.
process.exit();
