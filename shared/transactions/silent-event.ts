import * as z from "zod";
import { defineEntity } from "../platform/table/entity.ts";
import { SentEvent } from "./transaction.ts";

/**
 * A reversal, expiry, clearing or withdrawal that leaves no transaction. Simulations need it: its
 * authorization may be open there, or its withdrawal declined.
 */
export const silentEvents = defineEntity({
  name: "silentEvent",
  schema: z.object({
    authorizationId: z.string(),
    event: SentEvent,
    createdAt: z.string(),
    expiresAtSeconds: z.int(),
  }),
  key: (programId: string, cardId: string, eventId: string) => ({
    pk: `${programId}#${cardId}`,
    sk: `REFUSED#${eventId}`,
  }),
});
