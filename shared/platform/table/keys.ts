export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** Every key includes its Program, so that another Program's items cannot be named. */
export const issuingKey = {
  cardholder: (programId: string, cardholderId: string): Key => ({
    pk: `${programId}#${cardholderId}`,
    sk: "CARDHOLDER",
  }),
  card: (programId: string, cardId: string): Key => ({ pk: `${programId}#${cardId}`, sk: "CARD" }),
  /** Where a Cardholder's Cards are found: points to the Card. */
  cardOf: (programId: string, cardholderId: string, cardId: string): Key => ({
    pk: `${programId}#${cardholderId}`,
    sk: `CARD#${cardId}`,
  }),
  wallet: (programId: string, walletId: string): Key => ({ pk: `${programId}#${walletId}`, sk: "WALLET" }),
  /** A transfer stands with each Wallet that it touches. */
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
  /** What is in suspense now: points to the item. */
  openSuspense: (programId: string, suspenseId: string): Key => ({
    pk: `${programId}#SUSPENSE`,
    sk: suspenseId,
  }),
  /** One per account (cardId or walletId) that it touches; without any, one with its record. */
  entry: (programId: string, accountId: string, entryId: string): Key => ({
    pk: `${programId}#${accountId}`,
    sk: `ENTRY#${entryId}`,
  }),
  /** Transactions and fees stand with their card. */
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
  chargeback: (programId: string, chargebackId: string): Key => ({
    pk: `${programId}#${chargebackId}`,
    sk: "CHARGEBACK",
  }),
  /** The deduplication row of a processor event. */
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

export const accountsKey = {
  tenant: (tenantId: string): Key => ({ pk: tenantId, sk: "TENANT" }),
  program: (programId: string): Key => ({ pk: programId, sk: "PROGRAM" }),
  design: (programId: string, cardType: number): Key => ({ pk: programId, sk: `DESIGN#${cardType}` }),
  /** An API key is found by its keyed hash alone. */
  apiKey: (keyHash: string): Key => ({ pk: `KEY#${keyHash}`, sk: "KEY" }),
  /** Where the Tenant finds its keys: points to the hash. */
  apiUser: (tenantId: string, apiUserId: string): Key => ({ pk: tenantId, sk: `API_USER#${apiUserId}` }),
  /** A certificate is found by the SHA-256 of its DER, in lower-case hex. */
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

/** One of `count` shards for an id: ids end in random characters, which spread evenly. */
export function shardOf(id: string, count: number): number {
  let sum = 0;
  for (const character of id.slice(-8)) sum = (sum * 31 + character.charCodeAt(0)) % 65_521;
  return sum % count;
}
