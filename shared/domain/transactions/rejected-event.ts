import * as z from "zod";
import { defineEntity } from "../../platform/table/entity.ts";
import type { Key } from "../../platform/table/keys.ts";
import { SentEvent } from "./transaction.ts";

/**
 * A reversal or expiry of a finished authorization, which leaves no transaction. Simulations need
 * it: there, the authorization may be approved.
 */
export const rejectedEvents = defineEntity({
  name: "rejectedEvent",
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
