import * as z from "zod";
import { type Card, cards } from "../cards/card.ts";
import { firstPlasticId } from "../cards/card-plastic.ts";
import { toWaitingId, unproduced } from "../cards/outside-requests.ts";
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
import { isLive, type Plastic, plastics, toFirstPlastic, toVaultCard } from "./plastic.ts";

const ProductionBatch = z.object({
  batchId: z.string(),
  /** Cards of which it has the first plastic. */
  cardIds: z.array(z.string()),
  /** Those in place of others. */
  plastics: z.array(z.object({ cardId: z.string(), plasticId: z.string() })).optional(),
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
 * Takes up to `limit` plastics out of those that wait, the oldest first. One leaves them in the
 * transaction that adds it to the batch: a process that dies leaves a shorter batch, and the others
 * waiting. Undefined if none waits.
 */
export async function makeBatch(programId: string, limit: number): Promise<ProductionBatch | undefined> {
  const createdAt = timestamp();
  let batch: ProductionBatch = { batchId: newId("batch"), cardIds: [], createdAt };
  while (countPlastics(batch) < limit) {
    const count = Math.min(inTransaction, limit - countPlastics(batch));
    const waiting = await unproduced.first(count, programId);
    if (waiting.length === 0) break;
    batch = (await take(programId, batch, waiting)) ?? batch;
  }
  return countPlastics(batch) === 0 ? undefined : batch;
}

export function countPlastics({ cardIds, plastics: others = [] }: ProductionBatch): number {
  return cardIds.length + others.length;
}

interface Waiting {
  readonly cardId: string;
  readonly plasticId?: string | undefined;
}

/** Undefined if another batch has taken one of them meanwhile: then others wait. */
async function take(programId: string, batch: ProductionBatch, waiting: readonly Waiting[]) {
  const found = await readPlastics(programId, waiting);
  const wanted = found.filter(isWanted).map(({ plastic: { cardId, plasticId } }) => ({ cardId, plasticId }));
  const firsts = wanted.filter(({ cardId, plasticId }) => plasticId === firstPlasticId(cardId));
  const others = [...(batch.plastics ?? []), ...wanted.filter((one) => !firsts.includes(one))];
  const longer = {
    ...batch,
    cardIds: [...batch.cardIds, ...firsts.map(({ cardId }) => cardId)],
    ...(others.length > 0 && { plastics: others }),
  };
  const isFirst = countPlastics(batch) === 0;
  const { committed } = await transact([
    ...waiting.map(({ cardId, plasticId }) =>
      unproduced.at(programId, toWaitingId(cardId, plasticId)).delete(exists),
    ),
    ...(wanted.length > 0
      ? [productionBatches.at(programId, batch.batchId).put(longer, isFirst ? isNew : exists)]
      : []),
  ]);
  return committed ? longer : undefined;
}

/** It can still be used: its Card is open, and it was neither stopped nor replaced. */
export function isWanted({ card, plastic }: ProducedPlastic): boolean {
  return card.issuerCardStatus !== CardStatus.closed && isLive(plastic);
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

export interface ProducedPlastic {
  readonly card: Card;
  readonly plastic: Plastic;
}

/** Reads them in the same order. Without a `plasticId`, it is a Card's first. */
export async function readPlastics(
  programId: string,
  wanted: readonly Waiting[],
): Promise<ProducedPlastic[]> {
  const toPlasticId = ({ cardId, plasticId = firstPlasticId(cardId) }: Waiting) => plasticId;
  const cardItems = await readBatch(
    [...new Set(wanted.map(({ cardId }) => cardId))].map((id) => cards.key(programId, id)),
  );
  const found = new Map(cardItems.map((item) => [item.entityId, cards.parse(item)]));
  const replaced = wanted.filter(({ cardId }) => found.get(cardId)?.plasticCount !== undefined);
  const items = await readBatch(replaced.map((one) => plastics.key(programId, one.cardId, toPlasticId(one))));
  const stored = new Map(items.map((item) => [item.plasticId, plastics.parse(item)]));
  return wanted.flatMap((one) => {
    const card = found.get(one.cardId);
    const plastic = card && (stored.get(toPlasticId(one)) ?? toFirstPlastic(card));
    return card && plastic ? [{ card, plastic }] : [];
  });
}

/** What the vault needs to emboss a plastic. */
export function toProductionCard(
  programId: string,
  { card, plastic }: ProducedPlastic,
): z.input<typeof ProductionCard> {
  const { nameOnCard } = card;
  const shippingAddress = plastic.shippingAddress as Record<string, string>;
  return { ...toVaultCard(programId, plastic), nameOnCard, shippingAddress };
}
