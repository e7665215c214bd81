import { appendFileSync } from "node:fs";
import { grantText, type NamedGrant } from "./named-grant.ts";

/**
 * Notes each grant that a run makes use of in the file that LOCAL_USED_GRANTS names, to which many runs may add at once; nowhere where it names none.
 * At once, since a run may be killed.
 */
export function noteUsedGrant(grant: NamedGrant): void {
  const file = process.env.LOCAL_USED_GRANTS;
  if (file) appendFileSync(file, `${grantText(grant)}\n`);
}
