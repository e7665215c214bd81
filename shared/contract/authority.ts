import * as z from "zod";
import { id, timestamp } from "./primitives.ts";

/**
 * Commands of the environment's certificate authorities: direct invocation of the certificates
 * function with `{command, input}`, under IAM. Only that function can sign with a CA's key.
 */

/** The name of the CA's key in the environment's settings. */
export const authorityName = z.string().regex(/^[a-z0-9]{1,20}$/, "must be lower-case letters and digits");

/** The CAs' bundle in the truststore: the hosts and the network's listener trust it. */
export const truststoreKey = "clients.pem";

/** Certificates of a removed CA fail the handshake. */
export const authorityStatus = z.enum(["issuing", "trusted", "removed"]);
export type AuthorityStatus = z.output<typeof authorityStatus>;

export const AuthorityView = z.object({
  name: authorityName,
  status: authorityStatus,
  notAfter: timestamp,
  dateCreated: timestamp,
  /** When its last certificate expires. Absent while it issues, and if it never issued. */
  inUseUntil: timestamp.optional(),
});
export type AuthorityView = z.output<typeof AuthorityView>;

const named = z.object({ name: authorityName });

export const authorityCommands = {
  "issue-certificate": {
    about: "Signs a request for a Tenant, even one without a Program: a new Tenant's first certificate.",
    input: z.object({ tenantId: id("tenant"), csr: z.string().min(1).max(16_384) }),
    output: z.object({
      certificateId: id("certificate"),
      certificate: z.string(),
      serialNumber: z.string(),
      notAfter: timestamp,
    }),
  },
  "list-authorities": {
    about: "The environment's certificate authorities, with their status.",
    input: z.object({}),
    output: z.object({ authorities: z.array(AuthorityView) }),
  },
  "trust-authority": {
    about:
      "Creates and trusts the certificate of an existing key, or trusts a removed CA again. The environment's first CA also starts to issue.",
    input: named,
    output: AuthorityView,
  },
  "issue-with-authority": {
    about: "Lets a CA issue: new certificates come from this CA. The previous one stays trusted.",
    input: named,
    output: AuthorityView,
  },
  "remove-authority": {
    about: "Stops trusting this CA. Rejected while its certificates may be valid, unless forced.",
    input: named.extend({ evenInUse: z.boolean().default(false) }),
    output: AuthorityView,
  },
  "view-truststore": {
    about: "Certificates of all trusted CAs, for the truststore. Creates the first CA.",
    input: z.object({}),
    output: z.object({ truststore: z.string() }),
  },
} as const;

export type AuthorityCommand = keyof typeof authorityCommands;
