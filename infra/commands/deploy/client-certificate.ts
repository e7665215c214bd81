import "reflect-metadata";
import { webcrypto, X509Certificate } from "node:crypto";
import {
  PemConverter,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from "@peculiar/x509";

/** Whom a client certificate names. */
export interface Holder {
  readonly tenantId: string;
  readonly programId: string;
  readonly domain: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const dayMs = 86_400_000;
/** A certificate with less than this is replaced. */
const renewalDays = 30;

/** A new key, which stays here, and the certificate request (PKCS#10) for it; both PEM. */
export async function certificateRequest({ tenantId, programId, domain }: Holder) {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: [{ O: [tenantId] }, { OU: [programId] }],
    keys,
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: "dns", value: domain }])],
  });
  const key = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { csr: `${request.toString("pem")}\n`, keyPem: `${PemConverter.encode(key, "PRIVATE KEY")}\n` };
}

/** Whether a certificate is still good for a caller of this domain: of a trusted CA, and not about to expire. */
export function isGood(certificatePem: string, domain: string, truststore: string, now: Date): boolean {
  const certificate = new X509Certificate(certificatePem);
  const names = [...(certificate.subjectAltName ?? "").matchAll(/DNS:([^,\s]+)/g)].map(([, name]) => name);
  const isOf = names.some((name) => name === domain || domain.endsWith(`.${name}`));
  const lasts = certificate.validToDate.getTime() > now.getTime() + renewalDays * dayMs;
  const authorities = truststore.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return isOf && lasts && authorities.some((pem) => certificate.verify(new X509Certificate(pem).publicKey));
}
