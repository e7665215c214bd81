import { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";

/** `requestContext.identity.clientCert` as API Gateway gives it to the authorizer. */
export interface ClientCertificate {
  clientCertPem: string;
  subjectDN: string;
  issuerDN: string;
  serialNumber: string;
  validity: { notBefore: string; notAfter: string };
}

const clientAuthentication = "1.3.6.1.5.5.7.3.2";
/** OpenSSL's errors by the machine's clock; here the virtual clock decides. */
const timeErrors = ["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"];

export function readTruststore(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}

/** Whether the client's certificate is of the truststore and valid by the virtual clock. */
export function isTrusted(socket: TLSSocket, truststore: X509Certificate[], nowMs: number): boolean {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined || !isValidAt(certificate, nowMs)) return false;
  if (socket.authorized) return true;
  if (!timeErrors.includes(String(socket.authorizationError))) return false;
  // A time error may hide another error, so everything else is checked again.
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

/** Most specific part first, on one line. */
function distinguishedName(lines: string): string {
  return lines.split("\n").reverse().join(",");
}
