import * as z from "zod";
import type { ListKind } from "../lists/kind.ts";
import type { Records } from "../lists/list-page.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";

export const cardsOfCardholder = defineEntity({
  name: "cardOf",
  schema: z.object({ cardId: z.string() }),
  key: (programId: string, cardholderId: string, cardId: string) => ({
    pk: `${programId}#${cardholderId}`,
    sk: `CARD#${cardId}`,
  }),
});

/** Indexes a Card by its Cardholder, in the issuing transaction. Stays after closing. */
export function cardOfPut(programId: string, cardholderId: string, cardId: string): WriteAction {
  return cardsOfCardholder.at(programId, cardholderId, cardId).create({ cardId });
}

/** The ids of all the Cards that were ever issued to a Cardholder, oldest first. */
export async function listCardIds(programId: string, cardholderId: string): Promise<string[]> {
  return (await cardsOfCardholder.list(programId, cardholderId)).map(({ cardId }) => cardId);
}

/** Which Cards are meant: one, a Cardholder's, or by default all of the Program's. */
export interface CardScope {
  readonly programId: string;
  readonly cardId?: string | undefined;
  readonly cardholderId?: string | undefined;
}

/** The ids of the Cards of a scope; undefined for a Program's. */
export async function chooseCardIds(scope: CardScope): Promise<readonly string[] | undefined> {
  const { programId, cardId, cardholderId } = scope;
  if (cardId !== undefined) return [cardId];
  return cardholderId === undefined ? undefined : listCardIds(programId, cardholderId);
}

/** The records of a list for the Cards of a scope; the whole list for a Program. */
export async function findCardRecords(
  kind: ListKind,
  scope: CardScope,
  recordId = "",
  idKind?: "fee" | "transaction",
): Promise<Records> {
  const list = { programId: scope.programId, kind };
  const cardIds = await chooseCardIds(scope);
  if (!cardIds) return { list };
  const partitions = cardIds.flatMap((id) => kind.recordKey?.(list, recordId, { cardId: id }) ?? []);
  return { list, partitions, ids: recordId === "" ? idKind : undefined };
}
