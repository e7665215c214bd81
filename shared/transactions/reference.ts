import * as z from "zod";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Transaction, transactionPut } from "./transaction.ts";

const Reference = z.object({ cardId: z.string(), transId: z.string() });
export type Reference = Readonly<z.output<typeof Reference>>;

/** The settlement that brought a reference code. The network's codes are unique in a Program. */
export const references = defineEntity({
  name: "reference",
  schema: Reference,
  key: (programId: string, referenceCode: string) => ({
    pk: `${programId}#REFERENCE#${referenceCode}`,
    sk: "REFERENCE",
  }),
});

/**
 * Records the transaction and takes the reference code that came with it, as `reference`. The
 * platform's own code is the `transId`, which no other can be: it needs no item.
 */
export function transactionWrites(transaction: Transaction): WriteAction[] {
  const { programId, cardId, transId, referenceCode } = transaction;
  const put = transactionPut(transaction);
  if (referenceCode === transId) return [put];
  return [put, references.at(programId, referenceCode).create({ cardId, transId })];
}
