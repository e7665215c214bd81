import type { Key } from "./keys.ts";

/** Keys of the `issuing` table for disputes. */
export const disputeKey = {
  dispute: (programId: string, disputeId: string): Key => ({
    pk: `${programId}#${disputeId}`,
    sk: "DISPUTE",
  }),
  /** Stored with the dispute. */
  event: (programId: string, disputeId: string, eventId: string): Key => ({
    pk: `${programId}#${disputeId}`,
    sk: `DISPUTE_EVENT#${eventId}`,
  }),
  /** Points to the dispute. */
  ofCard: (programId: string, cardId: string, disputeId: string): Key => ({
    pk: `${programId}#${cardId}`,
    sk: `DISPUTE#${disputeId}`,
  }),
} as const;
