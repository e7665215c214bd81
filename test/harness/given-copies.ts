import { newId } from "../../shared/platform/id.ts";
import { writeBatch } from "../../shared/platform/table/batch.ts";
import type { Key } from "../../shared/platform/table/keys.ts";
import { storedItem } from "./stored.ts";

/** So many copies of a Card, which are these items of it: issuing each takes much longer. */
export async function givenCopies(cardId: string, count: number, keys: readonly Key[]): Promise<string[]> {
  const items = JSON.stringify(await Promise.all(keys.map(storedItem)));
  const cardIds = Array.from({ length: count }, () => newId("card"));
  await writeBatch(
    cardIds.flatMap((copyId) =>
      (JSON.parse(items.replaceAll(cardId, copyId)) as Key[]).map((put) => ({ put })),
    ),
  );
  return cardIds;
}
