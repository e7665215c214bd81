import * as z from "zod";
import { id, text } from "./primitives.ts";

/** Recorded in the audit log. */
const reason = text(500).optional();
const blockedCard = z.object({ cardId: id("card"), blocked: z.boolean() });
const blockedCardholder = z.object({
  cardholderId: id("cardholder"),
  blocked: z.boolean(),
  cards: z.int(),
});

export const blockCommands = {
  /** Declines everything; the Program cannot lift the block. */
  "block-card": {
    input: z.object({ programId: id("program"), cardId: id("card"), reason }),
    output: blockedCard,
  },
  /** `blocked` stays true if the Cardholder is blocked. */
  "unblock-card": {
    input: z.object({ programId: id("program"), cardId: id("card"), reason }),
    output: blockedCard,
  },
  /** Blocks all its Cards, and those issued later. */
  "block-cardholder": {
    input: z.object({ programId: id("program"), cardholderId: id("cardholder"), reason }),
    output: blockedCardholder,
  },
  /** Cards with a block of their own stay blocked. */
  "unblock-cardholder": {
    input: z.object({ programId: id("program"), cardholderId: id("cardholder"), reason }),
    output: blockedCardholder,
  },
} as const;
