import * as z from "zod";

/** What a reversal of a posted purchase gave back, of which postings as far as they are known. */
export const GaveBack = z.object({
  authorizationId: z.string(),
  parts: z.array(z.object({ transId: z.string(), amountMinor: z.int() })),
  /** What is given back of postings that the hold names no more. */
  olderMinor: z.int().optional(),
});
export type GaveBack = z.output<typeof GaveBack>;

/** What is not free any more of a posting. */
export const Claimed = z.object({
  /** Open and won disputes, and refunds that name it. */
  claimedMinor: z.int().optional(),
  /** How much of that are refunds. */
  refundedMinor: z.int().optional(),
  /** How much of that are disputes that are won or written off. */
  settledMinor: z.int().optional(),
  /** What its disputes have credited. The Card has what refunds leave of it. */
  creditedMinor: z.int().optional(),
  /** Its hold names it no more, and has a sum of what is free of these. */
  isOlder: z.boolean().optional(),
  /** What the network's reversals have given back. */
  reversedMinor: z.int().optional(),
});
