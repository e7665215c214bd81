import * as z from "zod";
import { id, text } from "./primitives.ts";

/** Goes into the audit log. */
const reason = text(500).optional();
const blockedCard = z.object({ cardId: id("card"), blocked: z.boolean() });
const blockedCardholder = z.object({
  cardholderId: id("cardholder"),
  blocked: z.boolean(),
  cards: z.int(),
});

/** Commands that stop Cards, and lift that. */
export const blockCommands = {
  /** It declines everything, and its Program cannot lift that. */
  "block-card": {
    input: z.object({ programId: id("program"), cardId: id("card"), reason }),
    output: blockedCard,
  },
  /** `blocked` in the answer stays true where its Cardholder is blocked. */
  "unblock-card": {
    input: z.object({ programId: id("program"), cardId: id("card"), reason }),
    output: blockedCard,
  },
  /** All its Cards, and those that are issued to it later. */
  "block-cardholder": {
    input: z.object({ programId: id("program"), cardholderId: id("cardholder"), reason }),
    output: blockedCardholder,
  },
  /** Cards that are blocked by themselves stay so. */
  "unblock-cardholder": {
    input: z.object({ programId: id("program"), cardholderId: id("cardholder"), reason }),
    output: blockedCardholder,
  },
} as const;
