/**
 * `npm run redrive -- <environment> <queue>`: puts the messages that were given up back into their queue, of a deployed environment with the
 * caller's own AWS credentials, or of the platform that runs on this machine.
 */
import { redrive } from "./dead-letters/redrive.ts";
import { sources, targetOf, toSource } from "./dead-letters/target.ts";

const usage = `Usage: npm run redrive -- <environment> <queue>

Queues: ${sources.join(", ")}.
Look at the messages (npm run operator -- dead-letters show <queue>) and mend what made them fail first: what fails again comes back.`;

try {
  const [environment, queue, ...more] = process.argv.slice(2);
  if (environment === undefined || queue === undefined || more.length > 0) throw new Error(usage);
  const source = toSource(queue);
  console.log(`Put back: ${await redrive(await targetOf(environment), source)}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
