import * as z from "zod";
import { defineEntity } from "../../platform/table/entity.ts";
import { reportedKey } from "../../platform/table/reported-keys.ts";

/** What a custodian has reported of one output. Written in the commit that moves its money. */
const ChainDeposit = z.object({
  /** Absent if it was dropped before it was detected. */
  depositId: z.string().optional(),
  state: z.enum(["detected", "confirmed", "dropped"]),
  asset: z.string(),
  amountMinor: z.int(),
  currency: z.string(),
});
export type ChainDeposit = Readonly<z.output<typeof ChainDeposit>>;

export const chainDeposits = defineEntity({
  name: "chain deposit",
  table: "issuing",
  schema: ChainDeposit,
  key: reportedKey.chainDeposit,
});
