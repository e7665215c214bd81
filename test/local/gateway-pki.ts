import {
  type CertifiedKey,
  issueAuthority,
  issueClientCertificate,
  issueLeaf,
} from "../../infra/development/issue-certificate.ts";

const dayMs = 86_400_000;
export const valid = { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + 30 * dayMs) };

/** An environment of its own: its CA, its server, one client. */
export interface Pki {
  authority: CertifiedKey;
  server: CertifiedKey;
  client: CertifiedKey;
}

export async function makePki(): Promise<Pki> {
  const authority = await issueAuthority("Test CA", valid);
  const server = await issueLeaf({
    authority,
    subject: [{ CN: ["localhost"] }],
    alternativeNames: [
      { type: "dns", value: "localhost" },
      { type: "dns", value: "sandbox.localhost" },
    ],
    usage: "serverAuth",
    ...valid,
  });
  return { authority, server, client: await clientOf(authority) };
}

export function clientOf(authority: CertifiedKey, validity = valid): Promise<CertifiedKey> {
  return issueClientCertificate({
    authority,
    tenantId: "ten_1",
    programIds: ["prg_1"],
    domains: ["demo.test"],
    ...validity,
  });
}
