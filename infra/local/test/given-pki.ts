import { givenAuthority, givenCertifiedKey, validFor } from "../../../test/harness/given-certificates.ts";
import { type CertifiedKey, issueLeaf } from "../../development/issue-certificate.ts";

/** The CA of an environment, its server's certificate and one client's. */
export interface Pki {
  authority: CertifiedKey;
  server: CertifiedKey;
  client: CertifiedKey;
}

export async function givenPki(): Promise<Pki> {
  const authority = await givenAuthority();
  const server = await issueLeaf({
    authority,
    subject: [{ CN: ["localhost"] }],
    alternativeNames: [
      { type: "dns", value: "localhost" },
      { type: "dns", value: "sandbox.localhost" },
    ],
    usage: "serverAuth",
    ...validFor(30),
  });
  return { authority, server, client: await givenClient(authority) };
}

export function givenClient(authority: CertifiedKey, validity = validFor(30)): Promise<CertifiedKey> {
  return givenCertifiedKey(authority, { tenantId: "ten_1", programIds: ["prg_1"] }, validity);
}
