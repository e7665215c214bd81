import { Checks } from "./checks.ts";
import { Deployment, type SmokeConnection } from "./deployment.ts";
import { checkDoors } from "./doors.ts";
import { checkLifeOfACard } from "./life-of-a-card.ts";

/**
 * Tests access, the gateway's answers and, with a sandbox, the life of a card. Returns the number
 * of passed checks.
 * @throws Error at the first check that does not hold
 */
export async function smoke(connection: SmokeConnection, tell: (line: string) => void): Promise<number> {
  const deployment = new Deployment(connection);
  const checks = new Checks(tell);
  await checkDoors(deployment, checks);
  if (connection.sandboxUrl !== undefined) await checkLifeOfACard(deployment, checks);
  return checks.count;
}
