import { listPage } from "../../shared/lists/list-page.ts";
import { idStart } from "../../shared/platform/id.ts";
import { references, type Transaction, transactionList } from "../../shared/transactions/transaction.ts";

type Found = Pick<Transaction, "cardId" | "transId">;

/** The transaction of a reference code. Without a code of its sender, it is the `transId`. */
export async function findPosting(programId: string, referenceCode: string): Promise<Found | undefined> {
  const known = await references.at(programId, referenceCode).get();
  if (known || !referenceCode.startsWith(idStart("transaction"))) return known;
  const { items } = await listPage(
    {
      records: { list: { programId, kind: transactionList } },
      orders: { transId: "entityId" },
      filters: { entityId: referenceCode },
      view: ({ cardId, transId }: Transaction) => ({ cardId, transId }),
    },
    { orderBy: "transId", sort: "asc", limit: 1, offset: 0 },
  );
  return items[0];
}
