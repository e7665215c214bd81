/**
 * `npm run smoke -- [--patience <seconds>] <connection file>`: tests a deployment from outside,
 * read-only without a sandbox. With patience it waits for a new deployment.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Deployment, SmokeConnection } from "./deployment.ts";
import { untilItTakesRequests } from "./patience.ts";
import { smoke } from "./smoke.ts";

const { values, positionals } = parseArgs({
  options: { patience: { type: "string", default: "0" } },
  allowPositionals: true,
});
const [file] = positionals;
const seconds = Number(values.patience);
if (file === undefined || !(seconds >= 0)) {
  console.error("Usage: npm run smoke -- [--patience <seconds>] <connection file>");
  process.exit(2);
}
try {
  const connection = SmokeConnection.parse(JSON.parse(readFileSync(file, "utf8")));
  if (seconds > 0) await untilItTakesRequests(new Deployment(connection), { seconds, tell: console.log });
  const count = await smoke(connection, console.log);
  console.log(`${connection.baseUrl}: all ${count} checks passed.`);
} catch (error) {
  console.error(`not ok - ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
