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

const CLIENT_AUTHENTICATION = "1.3.6.1.5.5.7.3.2";
/** OpenSSL judges these by the machine's clock; here the run's own clock decides. */
const TIME_ERRORS = ["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"];

export function readTruststore(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}

/** Whether the certificate that the client presented is of the truststore and valid at this moment of the run's clock. */
export function isTrusted(socket: TLSSocket, truststore: X509Certificate[], nowMs: number): boolean {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined || !isValidAt(certificate, nowMs)) return false;
  if (socket.authorized) return true;
  if (!TIME_ERRORS.includes(String(socket.authorizationError))) return false;
  // A time error may hide another one, so that everything else is looked at again.
  const purposes = certificate.keyUsage;
  const isForClients = purposes === undefined || purposes.includes(CLIENT_AUTHENTICATION);
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
