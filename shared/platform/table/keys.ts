/** Sorts after every id and every time. */
export const afterAll = "~";

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/**
 * Keys of the `issuing` table. Every key includes its Program (or its Tenant), so that another
 * Program's items cannot be named.
 */
export const issuingKey = {
  cardholder: (programId: string, cardholderId: string): Key => ({
    pk: `${programId}#${cardholderId}`,
    sk: "CARDHOLDER",
  }),
  card: (programId: string, cardId: string): Key => ({ pk: `${programId}#${cardId}`, sk: "CARD" }),
  /** Points to the Card. */
  cardOf: (programId: string, cardholderId: string, cardId: string): Key => ({
    pk: `${programId}#${cardholderId}`,
    sk: `CARD#${cardId}`,
  }),
  wallet: (programId: string, walletId: string): Key => ({ pk: `${programId}#${walletId}`, sk: "WALLET" }),
  /** Stored with each Wallet that it touches. */
  transfer: (programId: string, walletId: string, transferId: string): Key => ({
    pk: `${programId}#${walletId}`,
    sk: `TRANSFER#${transferId}`,
  }),
  deposit: (programId: string, depositId: string): Key => ({
    pk: `${programId}#${depositId}`,
    sk: "DEPOSIT",
  }),
  /** A deposit's suspense item, by the deposit's id: each deposit has one at most. */
  suspense: (programId: string, depositId: string): Key => ({
    pk: `${programId}#${depositId}`,
    sk: "SUSPENSE",
  }),
  /** Points to an open suspense item. */
  openSuspense: (programId: string, suspenseId: string): Key => ({
    pk: `${programId}#SUSPENSE`,
    sk: suspenseId,
  }),
  /** One per account (cardId or walletId) that it touches; without any, one with its record. */
  entry: (programId: string, accountId: string, entryId: string): Key => ({
    pk: `${programId}#${accountId}`,
    sk: `ENTRY#${entryId}`,
  }),
  transaction: (programId: string, cardId: string, transId: string): Key => ({
    pk: `${programId}#${cardId}`,
    sk: `TRANSACTION#${transId}`,
  }),
  fee: (programId: string, cardId: string, feeId: string): Key => ({
    pk: `${programId}#${cardId}`,
    sk: `FEE#${feeId}`,
  }),
  /** By the network's reference of the authorization. */
  hold: (programId: string, authorizationId: string): Key => ({
    pk: `${programId}#HOLD#${authorizationId}`,
    sk: "HOLD",
  }),
  processorEvent: (programId: string, eventId: string): Key => ({
    pk: `${programId}#EVENT#${eventId}`,
    sk: "EVENT",
  }),
  idempotency: (programId: string, endpoint: string, key: string): Key => ({
    pk: `${programId}#IDEMPOTENCY#${endpoint}#${key}`,
    sk: "IDEMPOTENCY",
  }),
  outbox: (programId: string, eventId: string): Key => ({
    pk: `${programId}#OUTBOX#${eventId}`,
    sk: "OUTBOX",
  }),
  deadline: (programId: string, deadlineId: string): Key => ({
    pk: `${programId}#DEADLINE#${deadlineId}`,
    sk: "DEADLINE",
  }),
  reminder: (tenantId: string, reminderId: string): Key => ({
    pk: `${tenantId}#REMINDER#${reminderId}`,
    sk: "REMINDER",
  }),
  addressIndex: (programId: string): Key => ({ pk: `${programId}#ADDRESS_INDEX`, sk: "COUNTER" }),
} as const;

/** Keys of the `accounts` table. */
export const accountsKey = {
  tenant: (tenantId: string): Key => ({ pk: tenantId, sk: "TENANT" }),
  program: (programId: string): Key => ({ pk: programId, sk: "PROGRAM" }),
  design: (programId: string, cardType: number): Key => ({ pk: programId, sk: `DESIGN#${cardType}` }),
  apiKey: (keyHash: string): Key => ({ pk: `KEY#${keyHash}`, sk: "KEY" }),
  /** Points to the API key's hash. */
  apiUser: (tenantId: string, apiUserId: string): Key => ({ pk: tenantId, sk: `API_USER#${apiUserId}` }),
  /** `fingerprint` is the SHA-256 of its DER, in lower-case hex. */
  certificate: (fingerprint: string): Key => ({ pk: `CERTIFICATE#${fingerprint}`, sk: "CERTIFICATE" }),
  certificateOf: (tenantId: string, certificateId: string): Key => ({
    pk: tenantId,
    sk: `CERTIFICATE#${certificateId}`,
  }),
  notificationSettings: (tenantId: string): Key => ({ pk: tenantId, sk: "NOTIFICATION_SETTINGS" }),
  /** `scope` is a programId, or `*` for the whole Tenant. */
  allowedIp: (tenantId: string, scope: string, cidr: string): Key => ({
    pk: `${tenantId}#ALLOWLIST`,
    sk: `${scope}#${cidr}`,
  }),
} as const;

/** Keys of the `accounts` table for what a Tenant manages of its own account. */
export const tenantKey = {
  /** Points to the Program. */
  programOf: (tenantId: string, programId: string): Key => ({ pk: tenantId, sk: `PROGRAM#${programId}` }),
  /** `owner` is a Tenant or `PLATFORM`. */
  audit: (owner: string, auditId: string): Key => ({ pk: `${owner}#AUDIT`, sk: `AUDIT#${auditId}` }),
  /** The number of ranges. */
  allowlistCount: (tenantId: string): Key => ({ pk: tenantId, sk: "ALLOWLIST_COUNT" }),
  suspensions: (tenantId: string): Key => ({ pk: tenantId, sk: "SUSPENSIONS" }),
  /** Counts the Tenant's certificates: of two concurrent registrations, one retries. */
  certificateCount: (tenantId: string): Key => ({ pk: tenantId, sk: "CERTIFICATE_COUNT" }),
  /** The Program that derives addresses from an extended public key. */
  derivation: (chain: string, fingerprint: string): Key => ({
    pk: `DERIVATION#${chain}#${fingerprint}`,
    sk: "DERIVATION",
  }),
  /** Designs that await the platform's review. */
  designReviewQueue: (programId: string, cardType: number): Key => ({
    pk: "DESK#DESIGNS",
    sk: `${programId}#${cardType}`,
  }),
} as const;

/** All certificate authorities of the environment, in one item. */
export const authoritiesKey: Key = { pk: "AUTHORITIES", sk: "AUTHORITIES" };

/**
 * Tickets belong to Tenants but are stored in `issuing`, beside the deadline that closes them: its
 * sweep cannot write where credentials are.
 */
export const ticketKey = {
  ticket: (tenantId: string, ticketId: string): Key => ({
    pk: `${tenantId}#TICKETS`,
    sk: `TICKET#${ticketId}`,
  }),
  comment: (tenantId: string, ticketId: string, commentId: string): Key => ({
    pk: `${tenantId}#${ticketId}`,
    sk: `COMMENT#${commentId}`,
  }),
  /** Tickets that await the platform's answer, the most urgent first. */
  queue: (priority: number, ticketId: string): Key => ({ pk: "DESK#TICKETS", sk: `${priority}#${ticketId}` }),
} as const;

/** The endpoints that notifications are sent to, and the attempts. */
export const webhookKey = {
  /** Attempts to send an alert are stored beside its event: `attemptKey` of the delivery. */
  attempt: (programId: string, transIdSc: string, attemptId: string): Key => ({
    pk: `${programId}#NOTIFICATION#${transIdSc}`,
    sk: `ATTEMPT#${attemptId}`,
  }),
  /** A Program's endpoints share a partition: one query finds all of them, with their health. */
  endpoint: (programId: string, webhookId: string): Key => ({
    pk: `${programId}#WEBHOOKS`,
    sk: `ENDPOINT#${webhookId}`,
  }),
  health: (programId: string, webhookId: string): Key => ({
    pk: `${programId}#WEBHOOKS`,
    sk: `HEALTH#${webhookId}`,
  }),
  /**
   * How many sends are under way to an endpoint that is not healthy, or which check of evidence is.
   */
  slots: (programId: string, endpointId: string): Key => ({
    pk: `${programId}#SLOTS#${endpointId}`,
    sk: "SLOTS",
  }),
  replay: (programId: string, replayId: string): Key => ({
    pk: `${programId}#REPLAY#${replayId}`,
    sk: "REPLAY",
  }),
  currentReplay: (programId: string): Key => ({ pk: `${programId}#WEBHOOKS`, sk: "REPLAY" }),
  endpointCount: (programId: string): Key => ({ pk: `${programId}#WEBHOOKS`, sk: "COUNTER" }),
} as const;

/** One-time passcodes. */
export const otpKey = {
  /** `listenerId` is the hash of the token by which the subscription is found. */
  listener: (programId: string, listenerId: string): Key => ({
    pk: `${programId}#OTP#${listenerId}`,
    sk: "OTP_LISTENER",
  }),
  /** The subscriptions of a Card or of a Cardholder (`subjectId`). */
  listeners: (programId: string, subjectId: string): Key => ({
    pk: `${programId}#${subjectId}`,
    sk: "OTP_LISTENERS",
  }),
  challenge: (programId: string, challengeId: string): Key => ({
    pk: `${programId}#${challengeId}`,
    sk: "CHALLENGE",
  }),
} as const;

interface ListName {
  readonly programId: string;
  readonly kind: { readonly name: string };
  readonly owner?: string | undefined;
}

interface PartName {
  readonly segmentId: string;
  readonly copy: string;
  readonly index: number;
}

/** The parts of a list (shared/lists). */
export const listKey = {
  /** A change; `changeId` sorts by time. */
  change: (list: ListName, shard: number, changeId: string): Key => ({
    pk: `${prefixOf(list)}#CHANGES#${shard}`,
    sk: changeId,
  }),
  manifest: (list: ListName): Key => ({ pk: prefixOf(list), sk: "MANIFEST" }),
  /** The ids of the changes that one compaction took, up to `before`. */
  compacted: (list: ListName, before: string): Key => ({ pk: `${prefixOf(list)}#COMPACTED`, sk: before }),
  /** A partition has few enough blocks for all of them to be written within a second. */
  block: (list: ListName, { segmentId, copy, index }: PartName): Key => ({
    pk: `${prefixOf(list)}#${segmentId}#${copy}#${Math.floor(index / blocksInPartition)}`,
    sk: String(index),
  }),
  sparseIndex: (list: ListName, { segmentId, copy, index }: PartName): Key => ({
    pk: `${prefixOf(list)}#${segmentId}#${copy}#SPARSE_INDEX`,
    sk: String(index),
  }),
} as const;

function prefixOf({ programId, kind, owner }: ListName): string {
  return `${programId}#LIST#${kind.name}${owner === undefined ? "" : `#${owner}`}`;
}

const blocksInPartition = 64;

/** One of `count` shards for an id: ids end in random characters, which spread evenly. */
export function shardOf(id: string, count: number): number {
  let sum = 0;
  for (const character of id.slice(-8)) sum = (sum * 31 + character.charCodeAt(0)) % 65_521;
  return sum % count;
}
