import { type Card, cards } from "../../shared/cards/card.ts";
import { cardList } from "../../shared/cards/card-view.ts";
import { execute } from "../../shared/changes/execute.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { type WalkPlace, walkList } from "../../shared/lists/walk.ts";
import { isReminderDue, isRenewalDue, remind, renewalOfDue } from "../../shared/plastics/replace.ts";
import { tellUpdateNow } from "../../shared/plastics/tell-update.ts";
import { dayMs, now, timestamp } from "../../shared/platform/clock.ts";
import { type DueDeadline, deadlineClaim } from "../../shared/platform/deadlines.ts";
import { inLanes } from "../../shared/platform/in-lanes.ts";
import { log } from "../../shared/platform/log.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { isTimeUp } from "../../shared/platform/time-budget.ts";
import { expiryWatch, watchesExpiry } from "../../shared/tenancy/programs/expiry-watch.ts";
import { getProgram, type Program } from "../../shared/tenancy/programs/program.ts";

/** Cards of a part, which takes a second or two even if all of them are renewed. */
const partSize = 100;

/**
 * A day's pass over the Cards of a Program. What is done twice, after a kill or by a second sweep,
 * changes nothing. Without time for them all, the next sweep goes on.
 */
export async function renewCards(deadline: DueDeadline): Promise<boolean> {
  const { ownerId: programId } = deadline;
  const program = await getProgram(programId);
  if (!watchesExpiry(program.settings)) return false;
  const { begunAt, place } = expiryWatch.parse(deadline);
  let next: WalkPlace | undefined = place === "" ? undefined : JSON.parse(place);
  do next = await lookAtPart(program, next);
  while (next !== undefined && !isTimeUp());
  const at = now();
  const move =
    next === undefined
      ? { begunAt: nextDay(begunAt, at), place: "" }
      : { begunAt, place: JSON.stringify(next) };
  await transact([deadlineClaim(deadline, next === undefined ? new Date(move.begunAt) : at, move)]);
  return true;
}

/** The first time after `at` that lies whole days after `from`: a late pass moves no later one. */
function nextDay(from: string, at: Date): string {
  const begun = Date.parse(from);
  const days = Math.floor((at.getTime() - begun) / dayMs) + 1;
  return timestamp(new Date(begun + days * dayMs));
}

/** Returns where the next part begins, or undefined after the last one. */
async function lookAtPart(program: Program, after: WalkPlace | undefined): Promise<WalkPlace | undefined> {
  const { programId } = program;
  const list = { programId, kind: cardList };
  const excluded = { issuerCardStatus: CardStatus.closed };
  const walk = { excluded, until: now().getTime() + 1, after, limit: partSize };
  const { entries, place } = await walkList(list, walk);
  const keys = entries.map(({ id }) => cards.key(programId, id));
  const found = (await readBatch(keys)).map((item) => cards.parse(item));
  await inLanes(found, (card) => lookAt(program, card));
  return place;
}

/** One that fails is looked at again tomorrow, and keeps no other one waiting. */
async function lookAt({ programId, tenantId, settings }: Program, card: Card): Promise<void> {
  const { entityId: cardId } = card;
  const at = now();
  try {
    if (settings.renewalReminder && isReminderDue(card, at)) await remind(programId, card);
    if (!settings.autoRenew || !isRenewalDue(card, at)) return;
    const actor = { at: timestamp(at), by: "platform", requestId: `renewal:${cardId}` };
    const request = { programId, tenantId, cardId, reason: "renewed", actor } as const;
    const outcome = await execute(renewalOfDue, request);
    if ("rejected" in outcome) log.warn("A Card is not renewed.", { programId, cardId, ...outcome });
    else if (outcome.answer) await tellUpdateNow(programId, outcome.answer.made.plasticId);
  } catch (error) {
    log.error("A Card was not renewed.", { programId, cardId, error });
  }
}
