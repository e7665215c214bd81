import { listPage } from "../lists/list-page.ts";
import { type Transaction, transactionList, transactions } from "./transaction.ts";

/** By the id alone, in the list: whose it is need not be known. */
export async function findTransaction(programId: string, transId: string): Promise<Transaction | undefined> {
  const { items } = await listPage(
    {
      records: { list: { programId, kind: transactionList } },
      orders: { transId: "entityId" },
      filters: { entityId: transId },
      view: (item: Record<string, unknown>) => transactions.parse(item),
    },
    { orderBy: "transId", sort: "asc", offset: 0, limit: 1 },
  );
  return items[0];
}
