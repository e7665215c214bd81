import type { ErrorCode } from "../../shared/contract/errors.ts";

export type RefusalCode = Extract<
  ErrorCode,
  "CERTIFICATE_NOT_AUTHORIZED" | "IP_NOT_AUTHORIZED" | "API_KEY_INVALID" | "SUSPENDED" | "UNAVAILABLE"
>;

/** Codes that a policy denies with; the gateway answers the others as errors. */
export type DeniedCode = Exclude<RefusalCode, "API_KEY_INVALID" | "UNAVAILABLE">;

/** For the log only: the caller gets the code. */
export type RefusalCause =
  | "CERTIFICATE_MISSING"
  | "CERTIFICATE_UNUSABLE"
  | "CERTIFICATE_UNKNOWN"
  | "CERTIFICATE_REVOKED"
  | "CERTIFICATE_OF_ANOTHER_ENVIRONMENT"
  | "CERTIFICATE_NOT_VALID_NOW"
  | "IP_NOT_LISTED"
  | "IP_NOT_LISTED_FOR_KEY"
  | "IP_NAME_UNCONFIRMED"
  | "DNS_UNAVAILABLE"
  | "KEY_MISSING"
  | "KEY_REPEATED"
  | "KEY_MALFORMED"
  | "KEY_UNKNOWN"
  | "KEY_REVOKED"
  | "KEY_ROTATED"
  | "KEY_OF_ANOTHER_TENANT"
  | "KEY_OF_ANOTHER_PROGRAM"
  | "ACCESS_SUSPENDED";

/** Ids for the log that identify the caller. */
export interface Who {
  readonly tenantId?: string;
  readonly certificateId?: string;
  readonly apiUserId?: string;
}

export class Refusal extends Error {
  override readonly name = "Refusal";
  override readonly cause: RefusalCause;
  readonly code: RefusalCode;
  readonly who: Who;

  constructor(code: RefusalCode, cause: RefusalCause, who: Who = {}) {
    super(cause);
    this.code = code;
    this.cause = cause;
    this.who = who;
  }
}
