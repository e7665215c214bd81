import { GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { type CardDesignView, designSlots } from "../../contract/account-programs.ts";
import { DesignStatus } from "../../contract/enums.ts";
import { id, integerEnum, timestamp } from "../../contract/primitives.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { accountsKey } from "../../platform/table/keys.ts";

/** A Card Design slot of a Program: Cards can be issued with it while it is Approved. */
export const CardDesign = z.object({
  programId: id("program"),
  /** The slot's number. */
  cardType: z.literal(designSlots),
  name: z.string(),
  imageUrl: z.string().optional(),
  status: integerEnum(DesignStatus),
  /** Why it was Rejected. */
  rejectionReason: z.string().optional(),
  submittedAt: timestamp,
  reviewedAt: timestamp.optional(),
  /** Who wrote it last. */
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

/** The design as it is answered. */
export function toCardDesignView(design: CardDesign): CardDesignView {
  const { cardType, name, imageUrl, status, rejectionReason, submittedAt, reviewedAt } = design;
  return {
    cardType,
    name,
    imageUrl,
    status,
    rejectionReason,
    dateSubmitted: submittedAt,
    dateReviewed: reviewedAt,
  };
}
