/**
 * `npm run kept`, after a deployment: adds new resources to the lists of what each environment
 * keeps (test/infra/kept). It never removes one; to give up a resource, edit the list by hand.
 */
import { mkdirSync } from "node:fs";
import { keepingEnvironments, record } from "./kept-list.ts";

mkdirSync(new URL("kept", import.meta.url), { recursive: true });
try {
  for (const name of keepingEnvironments) record(name);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
