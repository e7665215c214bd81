/**
 * `npm run kept`: takes what is new in the stacks into the lists of what each environment keeps
 * (test/infra/kept), after it was deployed. What would be lost is refused: whoever means it takes
 * it out of the list by hand.
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
