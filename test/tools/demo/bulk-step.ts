import { type Client, jsonLines, unwrap } from "../../../client/src/card-issuing.ts";
import { money, type Narrator } from "./narrator.ts";

/** A Card with its controls and its money at once, and a file of others. */
export async function issueMany(
  client: Client,
  tell: Narrator,
  cardholderId: string,
  walletId: string,
): Promise<void> {
  const card = { cardholderId, cardForm: 0, cardType: 0 } as const;
  const load = { walletId, amount: 1_500 };
  const { data: issued } = await unwrap(client.POST("/cards", { body: { ...card, singleUse: true, load } }));
  tell.step(
    "A Card for one purchase is issued with money on it",
    `${issued.cardId}, ${money(load.amount).trim()} by ${issued.load?.transferId}`,
  );
  const lines = [1, 2, 3].map((number) => ({ ...card, externalId: `${issued.cardId}-${number}`, load }));
  const { data: begun } = await unwrap(client.POST("/cards/bulk", jsonLines([...lines, lines[0] ?? {}, {}])));
  const params = { path: { bulkId: begun.bulkId } };
  const { succeeded, duplicates, failed } = await ended(client, params);
  tell.step(
    "A file of five lines is done in the background",
    `${succeeded} Cards issued, ${duplicates} there already, ${failed} refused`,
  );
  await tell.balances();
}

async function ended(client: Client, params: { readonly path: { bulkId: string } }) {
  for (;;) {
    const { data } = await unwrap(client.GET("/bulk/{bulkId}", { params }));
    if (data.status === "done") return data;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
