import { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";

/** `requestContext.identity.clientCert` of the authorizer's event. */
export interface ClientCertificate {
  clientCertPem: string;
  subjectDN: string;
  issuerDN: string;
  serialNumber: string;
  validity: { notBefore: string; notAfter: string };
}

const clientAuthentication = "1.3.6.1.5.5.7.3.2";
/** OpenSSL checks times by the machine's clock; the virtual clock decides instead. */
const timeErrors = ["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"];

export function readTruststore(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}

/** Whether the truststore's CAs signed the client's certificate and it is valid in virtual time. */
export function isTrusted(socket: TLSSocket, truststore: X509Certificate[], nowMs: number): boolean {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined || !isValidAt(certificate, nowMs)) return false;
  if (socket.authorized) return true;
  if (!timeErrors.includes(String(socket.authorizationError))) return false;
  // A time error may hide another error, so all other checks are repeated.
  const purposes = certificate.keyUsage;
  const isForClients = purposes === undefined || purposes.includes(clientAuthentication);
  return (
    isForClients &&
    truststore.some(
      (ca) => isValidAt(ca, nowMs) && certificate.checkIssued(ca) && certificate.verify(ca.publicKey),
    )
  );
}

function isValidAt(certificate: X509Certificate, nowMs: number): boolean {
  return nowMs >= certificate.validFromDate.getTime() && nowMs <= certificate.validToDate.getTime();
}

export function describeCertificate(certificate: X509Certificate): ClientCertificate {
  return {
    clientCertPem: certificate.toString(),
    subjectDN: distinguishedName(certificate.subject),
    issuerDN: distinguishedName(certificate.issuer),
    serialNumber: (certificate.serialNumber.toLowerCase().match(/../g) ?? []).join(":"),
    validity: { notBefore: certificate.validFrom, notAfter: certificate.validTo },
  };
}

/** On one line, most specific part first. */
function distinguishedName(lines: string): string {
  return lines.split("\n").reverse().join(",");
}
