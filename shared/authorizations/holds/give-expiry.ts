import { type Hold, holds } from "./hold.ts";
import { heldMinor, holdDueAt, toExpiry } from "./hold-rules.ts";

/** Whether it is open, and no sweep will find it. */
function lacksDeadline(hold: Hold): boolean {
  return hold.dueAt === undefined && heldMinor(hold) > 0;
}

/** Walks are daily: a day before it is due, one has given it its deadline. */
export function isForgotten(hold: Hold, at: Date): boolean {
  return lacksDeadline(hold) && holdDueAt(hold).getTime() < at.getTime() + 86_400_000;
}

/** Gives an open hold its expiry. Each event that is applied meanwhile makes it look again. */
export async function giveExpiry(hold: Hold): Promise<void> {
  if (!lacksDeadline(hold)) return;
  const { programId, authorizationId, version } = hold;
  const change = { set: toExpiry(hold), add: { version: 1 } };
  const outcome = await holds.at(programId, authorizationId).updateNow(change, { version });
  if (!outcome.updated && outcome.stored) await giveExpiry(outcome.stored);
}
