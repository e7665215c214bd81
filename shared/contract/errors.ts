/** All public errors. */
export const errorCatalogue = {
  MALFORMED_BODY: { status: 400, message: "The request body is not valid." },
  API_KEY_INVALID: { status: 401, message: "X-API-Key is missing, invalid or revoked." },
  CERTIFICATE_NOT_AUTHORIZED: { status: 403, message: "The client certificate is not authorized." },
  SUSPENDED: { status: 403, message: "Access of this Tenant or Program is suspended." },
  IP_NOT_AUTHORIZED: { status: 403, message: "No Authorized IPs configured" },
  /** The web firewall blocks it, before authentication. */
  REQUEST_BLOCKED: { status: 403, message: "The web firewall blocked the request." },
  OPERATION_NOT_ALLOWED: { status: 403, message: "The key's role does not allow this operation." },
  COMPLIANCE_STATE: { status: 403, message: "The Cardholder's compliance state does not permit this." },
  SECOND_PERSON: { status: 403, message: "Another API user than its creator has to approve it." },
  NOT_FOUND: { status: 404, message: "The resource does not exist." },
  NOT_ACCEPTABLE: { status: 406, message: "The endpoint has no answer in a format that Accept names." },
  LOCKED_FIELDS: { status: 409, message: "A compliance-locked field cannot be changed in this status." },
  ILLEGAL_TRANSITION: { status: 409, message: "The current status does not permit this operation." },
  DESIGN_NOT_APPROVED: { status: 409, message: "The card design slot is not Approved." },
  CARD_BLOCKED: { status: 409, message: "The platform has blocked the card." },
  REPLACEMENT_PENDING: {
    status: 409,
    message: "A replacement of the card is not activated yet. If that is lost, name its plasticId.",
  },
  CARD_NOT_EMPTY: { status: 409, message: "The card has open holds, pending deposits or money left on it." },
  CARD_FUNDED_BY_WALLET: {
    status: 409,
    message: "The card spends from a Wallet, and has no money of its own.",
  },
  KEY_USED: { status: 409, message: "This public key was used for a reveal before." },
  NONCE_USED: { status: 409, message: "This nonce was used to set a PIN before." },
  INSUFFICIENT_FUNDS: { status: 409, message: "The Wallet has less than this amount available." },
  EXTERNAL_ACCOUNT_NOT_VERIFIED: { status: 409, message: "The external account is not verified." },
  MANDATE_CANCELLED: { status: 409, message: "The mandate is cancelled." },
  LIMIT_REACHED: { status: 409, message: "The maximum number of these resources is reached." },
  EVIDENCE_REQUIRED: { status: 409, message: "The network asked for evidence, and none was added since." },
  AMOUNT_EXCEEDED: { status: 409, message: "Less than this amount of the transaction can be disputed." },
  ACCOUNT_EXISTS: { status: 409, message: "The Program has this bank account as an external account." },
  EXTERNAL_ID_EXISTS: { status: 409, message: "Another record of this kind has this externalId." },
  REFERENCE_EXISTS: { status: 409, message: "A transaction has settled with this reference code." },
  CARDS_NOT_CLOSED: { status: 409, message: "The Cardholder has a card that is not Closed." },
  REPLAY_IN_PROGRESS: { status: 409, message: "Another replay of this Program is still running." },
  SIMULATION_IN_PROGRESS: { status: 409, message: "Another simulation of this Program is still running." },
  DAY_NOT_CLOSED: { status: 409, message: "The day is not over, or only since a minute." },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    message: "A request with this Idempotency-Key is still in progress.",
  },
  ALREADY_CREATED: {
    status: 409,
    message: "An earlier request with this Idempotency-Key did this. Its answer is not kept.",
  },
  VALIDATION_FAILED: { status: 422, message: "The request has invalid values." },
  AMOUNTS_WRONG: { status: 422, message: "These are not the amounts of the micro-deposits." },
  IDEMPOTENCY_MISMATCH: {
    status: 422,
    message: "This Idempotency-Key was used with a different request body.",
  },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: "The body is not in UTF-8, or it is compressed." },
  PAYLOAD_TOO_LARGE: { status: 413, message: "The body of the request is too large." },
  RATE_LIMITED: { status: 429, message: "Too many requests. Back off and retry." },
  INTERNAL: { status: 500, message: "Internal error. Retry with backoff." },
  UNAVAILABLE: { status: 503, message: "Temporarily unavailable. Retry with backoff." },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

/** `path` is the place in the request: `body.amount`, `query.limit`. */
export interface Fault {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}
