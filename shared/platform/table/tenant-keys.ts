import type { Key } from "./keys.ts";

/** Keys of the `accounts` table for what a Tenant manages of its own account. */
export const tenantKey = {
  /** Where a Tenant finds its Programs: points to the Program. */
  programOf: (tenantId: string, programId: string): Key => ({ pk: tenantId, sk: `PROGRAM#${programId}` }),
  /** One entry of the audit log of a Tenant, or of `PLATFORM`. */
  audit: (owner: string, auditId: string): Key => ({ pk: `${owner}#AUDIT`, sk: `AUDIT#${auditId}` }),
  /** How many ranges the Tenant's allowlist has. */
  allowlistCount: (tenantId: string): Key => ({ pk: tenantId, sk: "ALLOWLIST_COUNT" }),
  suspensions: (tenantId: string): Key => ({ pk: tenantId, sk: "SUSPENSIONS" }),
  /** Counts the Tenant's certificates: of two concurrent registrations, one retries. */
  certificateCount: (tenantId: string): Key => ({ pk: tenantId, sk: "CERTIFICATE_COUNT" }),
  /** Whose Program derives addresses from an extended public key, by what they are derived from. */
  derivation: (chain: string, fingerprint: string): Key => ({
    pk: `DERIVATION#${chain}#${fingerprint}`,
    sk: "DERIVATION",
  }),
  /** Designs that await the platform's review. */
  designDesk: (programId: string, cardType: number): Key => ({
    pk: "DESK#DESIGNS",
    sk: `${programId}#${cardType}`,
  }),
} as const;

/** Where the environment's certificate authorities stand, all in one item. */
export const authoritiesKey: Key = { pk: "AUTHORITIES", sk: "AUTHORITIES" };

/**
 * Tickets belong to Tenants but are stored in `issuing`, beside the deadline that closes them: its sweep
 * cannot write where credentials are.
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
  desk: (priority: number, ticketId: string): Key => ({
    pk: "DESK#TICKETS",
    sk: `${priority}#${ticketId}`,
  }),
} as const;
