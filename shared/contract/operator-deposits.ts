import * as z from "zod";
import { OpenSuspenseStatus, SuspenseReason } from "./enums.ts";
import { id, integerEnum, positiveAmount, timestamp } from "./primitives.ts";

const programId = id("program");
const depositId = id("deposit");
const suspenseId = id("suspense");
const cardId = id("card");
/** A page has so many. */
export const limit = z.int().min(1).max(100).default(50);
const suspense = { programId, suspenseId };

/** What the operator sends, and gets. */
export function command<I extends z.ZodRawShape, O extends z.ZodRawShape>(input: I, output: O) {
  return { input: z.object(input), output: z.object(output) };
}

/** What the operator does with deposits. */
export const depositCommands = {
  /** Ends a deposit that a client announced with `bank-deposit`, and the bank has not reported. */
  "cancel-deposit": command({ programId, depositId }, { depositId }),
  /** Deposits in suspense, oldest first. `after`: the last `suspenseId` of the previous page. */
  "list-suspense": command(
    { programId, limit, after: suspenseId.optional() },
    {
      items: z.array(
        z.object({
          suspenseId,
          depositId,
          amount: positiveAmount,
          /** ISO 4217 code. Another one than the Program's can only be returned. */
          currency: z.string(),
          channel: z.enum(["bank", "crypto"]),
          status: integerEnum(OpenSuspenseStatus),
          reason: SuspenseReason,
          /** The cardId or walletId that the deposit was for. */
          accountId: z.string(),
          /** What the sender wrote. */
          reference: z.string().optional(),
          /** A possible duplicate names the deposit that was reported before. */
          duplicateOf: depositId.optional(),
          note: z.string().optional(),
          dateCreated: timestamp,
        }),
      ),
    },
  ),
  /** Credits it once to a Card or Wallet of the Program. A pending deposit stays pending. */
  "assign-suspense": {
    input: z.union([
      z.strictObject({ ...suspense, walletId: id("wallet") }),
      z.strictObject({ ...suspense, cardId }),
    ]),
    output: z.object({ suspenseId, depositId }),
  },
  /** Takes a possible duplicate out of the books: it is the deposit that was reported before. */
  "drop-suspense": command(suspense, { suspenseId, depositId }),
  /** Returns it to its source. */
  "return-suspense": command(suspense, { suspenseId, depositId }),
} as const;
