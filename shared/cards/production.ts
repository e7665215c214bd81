import * as z from "zod";
import { CardStatus } from "../contract/enums.ts";
import type { ProductionCard } from "../contract/vault.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { readBatch } from "../platform/table/batch.ts";
import { exists, isNew } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { afterAll } from "../platform/table/keys.ts";
import { readItems, toPartitionQuery } from "../platform/table/query.ts";
import { transact } from "../platform/table/transact.ts";
import { type Card, cards } from "./card.ts";
import { unproduced } from "./outside-requests.ts";

const ProductionBatch = z.object({
  batchId: z.string(),
  cardIds: z.array(z.string()),
  createdAt: z.string(),
});
export type ProductionBatch = Readonly<z.output<typeof ProductionBatch>>;

export const productionBatches = defineEntity({
  name: "production batch",
  schema: ProductionBatch,
  key: (programId: string, batchId: string) => ({ pk: `${programId}#BATCHES`, sk: batchId }),
});

/** DynamoDB's limit of a transaction is 100 actions; one is the batch. */
const inTransaction = 99;

/**
 * Takes up to `limit` Cards out of those that wait, the oldest first. A Card leaves them in the
 * transaction that adds it to the batch: a process that dies leaves a shorter batch, and the others
 * waiting. Undefined if none waits.
 */
export async function makeBatch(programId: string, limit: number): Promise<ProductionBatch | undefined> {
  const createdAt = timestamp();
  let batch: ProductionBatch = { batchId: newId("batch"), cardIds: [], createdAt };
  while (batch.cardIds.length < limit) {
    const count = Math.min(inTransaction, limit - batch.cardIds.length);
    const waiting = (await unproduced.first(count, programId)).map(({ cardId }) => cardId);
    if (waiting.length === 0) break;
    batch = (await takeCards(programId, batch, waiting)) ?? batch;
  }
  return batch.cardIds.length === 0 ? undefined : batch;
}

/** Undefined if another batch has taken one of them meanwhile: then others wait. */
async function takeCards(
  programId: string,
  batch: ProductionBatch,
  cardIds: readonly string[],
): Promise<ProductionBatch | undefined> {
  const found = await readCards(programId, cardIds);
  const wanted = found.filter(({ issuerCardStatus }) => issuerCardStatus !== CardStatus.closed);
  const longer = { ...batch, cardIds: [...batch.cardIds, ...wanted.map(({ entityId }) => entityId)] };
  const isFirst = batch.cardIds.length === 0;
  const { committed } = await transact([
    ...cardIds.map((cardId) => unproduced.at(programId, cardId).delete(exists)),
    ...(wanted.length > 0
      ? [productionBatches.at(programId, batch.batchId).put(longer, isFirst ? isNew : exists)]
      : []),
  ]);
  return committed ? longer : undefined;
}

/** The oldest first, after the batch `after`. */
export async function listBatches(programId: string, limit: number, after = ""): Promise<ProductionBatch[]> {
  const { pk, sk } = productionBatches.at(programId, after).key;
  const query = { ...toPartitionQuery(pk, { first: `${sk}!`, last: afterAll }), Limit: limit };
  const batches: ProductionBatch[] = [];
  for await (const item of readItems(query)) {
    batches.push(productionBatches.parse(item));
    if (batches.length === limit) break;
  }
  return batches;
}

export async function isCardWaiting(programId: string): Promise<boolean> {
  return (await unproduced.first(1, programId)).length > 0;
}

/** Reads them in the order of the batch. */
export async function readCards(programId: string, cardIds: readonly string[]): Promise<Card[]> {
  const items = await readBatch(cardIds.map((cardId) => cards.at(programId, cardId).key));
  const found = new Map(items.map((item) => [item.entityId, cards.parse(item)]));
  return cardIds.flatMap((cardId) => found.get(cardId) ?? []);
}

/** What the vault needs to emboss a Card. */
export function toProductionCard(programId: string, card: Card): z.input<typeof ProductionCard> {
  const { entityId: cardId, bin, lastFour, expiryMonth, expiryYear, nameOnCard } = card;
  const shippingAddress = card.shippingAddress as Record<string, string>;
  return { programId, cardId, bin, lastFour, expiryMonth, expiryYear, nameOnCard, shippingAddress };
}
