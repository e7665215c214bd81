import * as z from "zod";
import { id, timestamp } from "./primitives.ts";

/**
 * Commands of the environment's certificate authorities: the certificates function takes `{command, input}` by direct invocation, under IAM, as the
 * operator function takes its own. It alone can have a CA's key sign.
 */

/** The CA key's name in the environment's settings. */
export const authorityName = z.string().regex(/^[a-z0-9]{1,20}$/, "must be lower-case letters and digits");

/** A CA that is removed is not trusted any more: its certificates do not complete a handshake. */
export const authorityStatus = z.enum(["issuing", "trusted", "removed"]);
export type AuthorityStatus = z.output<typeof authorityStatus>;

export const AuthorityView = z.object({
  name: authorityName,
  status: authorityStatus,
  notAfter: timestamp,
  dateCreated: timestamp,
  /** Until when certificates of it may be valid; absent while it issues, and for one that never did. */
  inUseUntil: timestamp.optional(),
});
export type AuthorityView = z.output<typeof AuthorityView>;

const named = z.object({ name: authorityName });

export const authorityCommands = {
  /** Signs a Tenant's request on the platform's word, which may name no Program: so a new Tenant gets its first certificate. */
  "issue-certificate": {
    input: z.object({ tenantId: id("tenant"), csr: z.string().min(1).max(16_384) }),
    output: z.object({
      certificateId: id("certificate"),
      certificate: z.string(),
      serialNumber: z.string(),
      notAfter: timestamp,
    }),
  },
  "list-authorities": {
    input: z.object({}),
    output: z.object({ authorities: z.array(AuthorityView) }),
  },
  /** Makes the certificate of a key that the environment has, and trusts it; the environment's first CA issues at once. Trusts a removed one again. */
  "trust-authority": { input: named, output: AuthorityView },
  /** Has this CA issue from now on. The one from before stays trusted. */
  "issue-with-authority": { input: named, output: AuthorityView },
  /** Trusts this CA no more. Refused while certificates of it may be valid, unless that is what is wanted. */
  "remove-authority": {
    input: named.extend({ evenInUse: z.boolean().default(false) }),
    output: AuthorityView,
  },
  /** The certificates of all trusted CAs, as the gateway's truststore takes them. Where there is no CA yet, the first key gets its certificate. */
  "view-truststore": { input: z.object({}), output: z.object({ truststore: z.string() }) },
} as const;

export type AuthorityCommand = keyof typeof authorityCommands;
