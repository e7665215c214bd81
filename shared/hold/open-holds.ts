import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { Card } from "../card/card.ts";
import { cardIdsOf } from "../card/cards-of-cardholder.ts";
import { environment } from "../environment.ts";
import { table } from "../table/client.ts";
import { collectionShardCount, collectionShardKey, issuingKey } from "../table/keys.ts";
import { readBatch } from "../table/read-batch.ts";

/** Whose holds are meant: one card's, a Cardholder's, or the whole Program's. */
export interface HoldScope {
  readonly programId: string;
  readonly cardId?: string | undefined;
  readonly cardholderId?: string | undefined;
}

/** What is held in all, in minor units: 0 for a card or Cardholder that does not exist, or a card of another Cardholder. */
export async function openHoldsMinor({ programId, cardId, cardholderId }: HoldScope): Promise<number> {
  if (cardId === undefined && cardholderId === undefined) return heldInProgram(programId);
  const cardIds = cardId === undefined ? await cardIdsOf(programId, cardholderId ?? "") : [cardId];
  const cards = (await readBatch(cardIds.map((id) => issuingKey.card(programId, id)))) as unknown as Card[];
  const meant = cards.filter((card) => cardholderId === undefined || card.cardholderId === cardholderId);
  return meant.reduce((sum, { heldMinor }) => sum + heldMinor, 0);
}

/** From the open holds themselves: they alone stand in the index, however many cards there are. */
async function heldInProgram(programId: string): Promise<number> {
  const shards = Array.from({ length: collectionShardCount }, (_, shard) =>
    heldInShard(collectionShardKey(programId, "holds", shard)),
  );
  return (await Promise.all(shards)).reduce((sum, held) => sum + held, 0);
}

async function heldInShard(shard: string): Promise<number> {
  let sum = 0;
  const query = {
    TableName: environment.issuingTable,
    IndexName: "by-collection",
    KeyConditionExpression: "#collection = :shard",
    ProjectionExpression: "outstandingMinor",
    ExpressionAttributeNames: { "#collection": "collection" },
    ExpressionAttributeValues: { ":shard": shard },
  };
  for await (const { Items } of paginateQuery({ client: table }, query)) {
    for (const item of Items ?? []) sum += item.outstandingMinor as number;
  }
  return sum;
}
