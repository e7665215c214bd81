import { askVault } from "../cards/ask-vault.ts";
import { cards } from "../cards/card.ts";
import { CardStatus } from "../contract/enums.ts";
import { timestamp } from "../platform/clock.ts";
import { type DueDeadline, deadlineClaim, deadlines } from "../platform/deadlines.ts";
import { newId } from "../platform/id.ts";
import { log } from "../platform/log.ts";
import { transact } from "../platform/table/transact.ts";
import { accountUpdatePut, toShownPlastic, toVaultCard, untoldId, untoldUpdate } from "./plastic.ts";

/** With the hashes of the vault. The deadline is the claim: an update is written once. */
export async function tellUpdate(deadline: DueDeadline): Promise<void> {
  const { ownerId: programId } = deadline;
  const { accountUpdate: kind, old, made } = untoldUpdate.parse(deadline);
  const isNumber = kind === "number";
  const { hashes } = await askVault("hash-numbers", { cards: isNumber ? [old, made] : [old] });
  const [oldNumberHash = "", newNumberHash] = hashes;
  const { cardId, expiryMonth, expiryYear } = made;
  const update = {
    ...{ entityId: newId("accountUpdate"), cardId, kind, oldNumberHash },
    ...(isNumber && { newNumberHash }),
    ...{ expiryMonth, expiryYear, createdAt: timestamp() },
  };
  await transact([deadlineClaim(deadline, undefined), accountUpdatePut(programId, update)]);
}

/** Right after the commit, so that it is listed at once. What fails here, the next sweep does. */
export async function tellUpdateNow(programId: string, plasticId: string): Promise<void> {
  try {
    const stored = await deadlines.at(programId, untoldId(plasticId)).get();
    if (stored === undefined) return;
    const [dueAt = ""] = stored.dueAt.split("#");
    await tellUpdate({ ...stored, dueAt: new Date(dueAt) } as DueDeadline);
  } catch (error) {
    log.warn("The account update is told by the next sweep.", { programId, plasticId, error });
  }
}

/**
 * What merchants are told of a Card that was closed. Only its last number can be known to them as
 * good: those before were stopped. `deadline`: the claim of it.
 */
export async function tellClosed(deadline: DueDeadline, cardId: string): Promise<void> {
  const { ownerId: programId } = deadline;
  const card = await cards.at(programId, cardId).require();
  if (card.issuerCardStatus !== CardStatus.closed) throw new Error(`The Card ${cardId} is not closed.`);
  const number = toVaultCard(programId, toShownPlastic(card));
  const { hashes } = await askVault("hash-numbers", { cards: [number] });
  const [oldNumberHash = ""] = hashes;
  const entityId = newId("accountUpdate");
  const update = { entityId, cardId, kind: "closed", oldNumberHash, createdAt: timestamp() } as const;
  await transact([deadlineClaim(deadline, undefined), accountUpdatePut(programId, update)]);
}
