import { earliestId } from "../platform/id.ts";
import { readItems, toPartitionQuery } from "../platform/table/query.ts";
import { type Transaction, transactions } from "./transaction.ts";

/** A Card's, oldest first: ids sort by time, up to the last that they have. */
export async function* transactionsWithin(
  programId: string,
  cardId: string,
  since: Date,
  until = new Date(281_474_976_710_655),
): AsyncGenerator<Transaction, void> {
  const first = transactions.at(programId, cardId, earliestId("transaction", since)).key;
  const last = transactions.at(programId, cardId, earliestId("transaction", until)).key.sk;
  const query = toPartitionQuery(first.pk, { first: first.sk, last });
  for await (const item of readItems(query)) yield transactions.parse(item);
}
