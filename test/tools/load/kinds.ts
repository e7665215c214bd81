/** The requests of the load. */
export const requestKinds = ["authorization", "clearing", "transfer", "read"] as const;
export type RequestKind = (typeof requestKinds)[number];

/** What has a latency: the requests, and the deliveries that they cause. */
export const kinds = [...requestKinds, "webhook"] as const;
export type Kind = (typeof kinds)[number];

/** Fewer clearings than authorizations: each clears one that is open. */
export const shares: Readonly<Record<RequestKind, number>> = {
  authorization: 0.3,
  clearing: 0.2,
  transfer: 0.2,
  read: 0.3,
};

/** Milliseconds. At most 1 % of a step's requests may take longer or fail. */
export type Limits = Readonly<Record<Kind, number>>;

/** For a laptop. The card network waits about two seconds for an authorization. */
export const defaultLimits: Limits = {
  authorization: 1_000,
  clearing: 1_000,
  transfer: 1_000,
  read: 500,
  webhook: 2_000,
};

/** Of the authorization endpoint, if there is one. */
export const deadlineMs = 500;
/** How much longer the answer to the network may take. */
export const deadlineMarginMs = 150;

/** One request or delivery, with times in milliseconds since the load began. */
export interface Sample {
  readonly kind: Kind;
  /** When the schedule wanted it; for a webhook, when the request that caused it was answered. */
  readonly intendedMs: number;
  /** From then to the answer's end, or to the first byte at the receiver. */
  readonly latencyMs: number;
  /** Why it failed: the status and code of the answer, or the connection's error. */
  readonly error?: string | undefined;
}
