/** A message for a queue. */
export interface OutgoingMessage {
  readonly body: unknown;
  /** Of messages that have one, those of a busy group do not keep the others waiting (SQS fair queues). */
  readonly groupId?: string;
  /** Up to 15 minutes. */
  readonly delaySeconds?: number;
}

/** SQS' own bound. */
export const maximumDelaySeconds = 900;
