import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { Currency } from "../../contract/enums.ts";
import type { TransactionType } from "../../contract/transactions.ts";
import { environment } from "../../platform/environment.ts";
import { earliestId } from "../../platform/id.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { numericCurrency } from "../transactions/source-amount.ts";
import type { Transaction } from "../transactions/transaction.ts";
import type { HeldAmount, SettledAmount } from "./match-holds.ts";

/** What was held and what was settled on a card in a time, minor units. */
export interface CardCycle {
  readonly holds: HeldAmount[];
  readonly settlements: SettledAmount[];
}

const placing: ReadonlySet<TransactionType> = new Set([1, 2, 11, 14] as const);
const releasing: ReadonlySet<TransactionType> = new Set([12, 13, 83] as const);
const clearing: TransactionType = 3;

/**
 * The card's holds and settlements since a time. A hold is what was authorized under one reference, increments and advices included, less what was
 * reversed or expired; one of which nothing is left is none.
 */
export async function readCycle(
  programId: string,
  cardId: string,
  currency: Currency,
  since: Date,
): Promise<CardCycle> {
  const holds = new Map<string, HeldAmount>();
  const settlements: SettledAmount[] = [];
  for await (const transaction of transactionsSince(programId, cardId, since)) {
    const { transType, transId, amountMinor, transDate: at, authorizationId: reference } = transaction;
    if (transType === clearing) {
      const { srcCurrency = numericCurrency[currency] } = transaction;
      const crossCurrency = srcCurrency !== numericCurrency[currency];
      settlements.push({ transId, amountMinor, at, crossCurrency });
    } else if (reference !== undefined && placing.has(transType)) {
      const placed = holds.get(reference) ?? { transId, amountMinor: 0, at };
      holds.set(reference, { ...placed, amountMinor: placed.amountMinor + amountMinor });
    } else if (reference !== undefined && releasing.has(transType)) {
      const placed = holds.get(reference);
      if (placed) holds.set(reference, { ...placed, amountMinor: placed.amountMinor - amountMinor });
    }
  }
  return { holds: [...holds.values()].filter(({ amountMinor }) => amountMinor > 0), settlements };
}

/** Every record of the card's since then, oldest first: ids are in the order of their making. */
async function* transactionsSince(
  programId: string,
  cardId: string,
  since: Date,
): AsyncGenerator<Transaction, void> {
  const { pk, sk: first } = issuingKey.transaction(programId, cardId, earliestId("transaction", since));
  const { sk: prefix } = issuingKey.transaction(programId, cardId, "");
  const query = {
    TableName: environment.issuingTable,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :card AND sk BETWEEN :first AND :last",
    ExpressionAttributeValues: { ":card": pk, ":first": first, ":last": `${prefix}~` },
  };
  for await (const { Items } of paginateQuery({ client: table }, query)) {
    for (const item of Items ?? []) yield item as Transaction;
  }
}
