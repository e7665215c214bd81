import * as z from "zod";
import { defineEntity } from "../platform/table/entity.ts";
import type { Key } from "../platform/table/keys.ts";
import { SentEvent } from "./transaction.ts";

/**
 * A reversal, expiry, clearing or withdrawal that leaves no transaction. Simulations need it: its
 * authorization may be open there, or its withdrawal declined.
 */
export const silentEvents = defineEntity({
  name: "silentEvent",
  table: "issuing",
  schema: z.object({
    authorizationId: z.string(),
    event: SentEvent,
    createdAt: z.string(),
    expiresAtSeconds: z.int(),
  }),
  key: (programId: string, cardId: string, eventId: string): Key => ({
    pk: `${programId}#${cardId}`,
    sk: `REFUSED#${eventId}`,
  }),
});
