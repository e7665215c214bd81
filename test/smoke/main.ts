/** `npm run smoke -- <connection file>`: tries a running deployment from outside, reading alone where it has no sandbox. Ends with 1 where a check fails. */
import { readFileSync } from "node:fs";
import { SmokeConnection } from "./deployment.ts";
import { smoke } from "./smoke.ts";

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error("Usage: npm run smoke -- <connection file>");
  process.exit(2);
}
try {
  const connection = SmokeConnection.parse(JSON.parse(readFileSync(file, "utf8")));
  const count = await smoke(connection, console.log);
  console.log(`${connection.baseUrl}: all ${count} checks passed.`);
} catch (error) {
  console.error(`not ok - ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
