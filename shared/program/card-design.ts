import { GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { designStatusSchema } from "../contract/enums.ts";
import { id, timestamp } from "../contract/primitives.ts";
import { environment } from "../environment.ts";
import { table } from "../table/client.ts";
import { accountsKey } from "../table/keys.ts";

/** A Card Design slot of a Program: Cards can be issued with it while it is Approved. */
export const CardDesign = z.object({
  programId: id("program"),
  /** The slot's number. */
  cardType: z.int(),
  name: z.string(),
  status: designStatusSchema,
  updatedAt: timestamp,
  updatedBy: z.string(),
});
export type CardDesign = z.output<typeof CardDesign>;

/** The slot as it was last written; undefined when nothing was ever submitted for it. One consistent read. */
export async function readCardDesign(programId: string, cardType: number): Promise<CardDesign | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.accountsTable,
      Key: accountsKey.design(programId, cardType),
      ConsistentRead: true,
    }),
  );
  return Item && CardDesign.parse(Item);
}
