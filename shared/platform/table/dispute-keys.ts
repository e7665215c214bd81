import type { Key } from "./keys.ts";

/** Keys of the `issuing` table for disputes. */
export const disputeKey = {
  /** Stored as CHARGEBACK, which disputes were named before. */
  dispute: (programId: string, disputeId: string): Key => ({
    pk: `${programId}#${disputeId}`,
    sk: "CHARGEBACK",
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
