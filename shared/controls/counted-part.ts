import * as z from "zod";

/** What a control counted of a transaction, and where it is given back. Times in milliseconds. */
export const Counted = z.object({
  controlId: z.string(),
  transId: z.string(),
  at: z.number(),
  /** When the control had begun to count. */
  since: z.number(),
  /** The beginning of the period. */
  from: z.number(),
  amount: z.int(),
  count: z.int(),
});
export type Counted = z.output<typeof Counted>;
