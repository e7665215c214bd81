import * as z from "zod";
import { cards } from "../cards/card.ts";
import { listedPlasticChange } from "../cards/card-status.ts";
import { CardStatus } from "../contract/enums.ts";
import { timestamp } from "../platform/clock.ts";
import { type DueDeadline, deadlineClaim, defineDeadline } from "../platform/deadlines.ts";
import { transact } from "../platform/table/transact.ts";
import { isAsRead, plasticWrites, showing } from "./activate.ts";
import { plastics, replaced } from "./plastic.ts";

/** The older plastic ends, although its replacement was not activated. */
export const endOfPlastic = defineDeadline(
  "end_plastic",
  "urgent",
  z.object({ cardId: z.string(), plasticId: z.string() }),
);

/** Nothing ends if the replacement was activated or stopped meanwhile. It runs twice, and late. */
export async function endReplaced(deadline: DueDeadline): Promise<void> {
  const { cardId, plasticId: pendingId } = endOfPlastic.parse(deadline);
  const { ownerId: programId } = deadline;
  const [card, stored] = await Promise.all([
    cards.at(programId, cardId).get(),
    plastics.list(programId, cardId),
  ]);
  const active = stored.find(({ state }) => state === "active");
  const pending = stored.find(({ plasticId }) => plasticId === pendingId);
  const isDue =
    card?.pendingPlasticId === pendingId && active && pending && card.issuerCardStatus !== CardStatus.closed;
  if (!isDue) {
    await transact([deadlineClaim(deadline, undefined)]);
    return;
  }
  const { set, remove } = showing(pending);
  const outcome = await transact([
    deadlineClaim(deadline, undefined),
    ...plasticWrites(programId, card, stored, [replaced(active, timestamp())]),
    {
      ...cards
        .at(programId, cardId)
        .update({ set: { ...set, awaitsPlastic: true }, remove }, isAsRead(card, { mayBeBlocked: true })),
      alongside: listedPlasticChange(programId, card, set),
    },
  ]);
  if (!outcome.committed) throw new Error(`The plastics of ${cardId} were changed meanwhile.`);
}
