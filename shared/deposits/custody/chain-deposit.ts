import * as z from "zod";
import { defineEntity } from "../../platform/table/entity.ts";

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

/** What came to an address by one output of a transaction. */
export const chainDeposits = defineEntity({
  name: "chain deposit",
  schema: ChainDeposit,
  key: (programId: string, chain: string, txHash: string, address: string, outputIndex: number) => ({
    pk: `${programId}#CHAIN#${chain}#${txHash}`,
    sk: `CHAIN_DEPOSIT#${address}#${outputIndex}`,
  }),
});
