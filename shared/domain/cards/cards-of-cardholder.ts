import * as z from "zod";
import { defineEntity } from "../../platform/table/entity.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

const cardsOfCardholder = defineEntity({
  name: "cardOf",
  table: "issuing",
  schema: z.object({ cardId: z.string() }),
  key: issuingKey.cardOf,
});

/** Makes a Card findable by its Cardholder, in the transaction that issues it. It stays when the Card is closed. */
export function cardOfPut(programId: string, cardholderId: string, cardId: string): WriteAction {
  return cardsOfCardholder.at(programId, cardholderId, cardId).create({ cardId });
}

/** The ids of all the Cards that were ever issued to a Cardholder, oldest first. */
export async function cardIdsOf(programId: string, cardholderId: string): Promise<string[]> {
  return (await cardsOfCardholder.list(programId, cardholderId)).map(({ cardId }) => cardId);
}
