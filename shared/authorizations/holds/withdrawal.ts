import * as z from "zod";

/** An ATM withdrawal, in its hold: posted, or one that came after its whole reversal. */
export const Withdrawal = z.object({
  transId: z.string(),
  /** What was posted first. */
  amountMinor: z.int(),
  feeId: z.string().optional(),
  feeMinor: z.int().optional(),
  /** A whole reversal reverses the fee too. */
  isFeeReversed: z.boolean().optional(),
  /** The code of the settlement that posted it. */
  referenceCode: z.string().optional(),
  /** Its last 50 postings: what can be disputed or given back. */
  disputable: z.array(z.string()),
  /** Its clearing has come, which has the last word on the amount. */
  isCleared: z.boolean().optional(),
});
export type Withdrawal = Readonly<z.output<typeof Withdrawal>>;
