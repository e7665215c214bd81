import "reflect-metadata";
import { webcrypto, X509Certificate } from "node:crypto";
import {
  PemConverter,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from "@peculiar/x509";

export interface Holder {
  readonly tenantId: string;
  readonly programId: string;
  readonly domain: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const dayMs = 86_400_000;
/** Certificates that expire sooner are replaced. */
const renewalDays = 30;

/**
 * Creates a key and its certificate request (PKCS#10), both PEM. The key never leaves this machine.
 */
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

/** Whether the certificate names the domain, a trusted CA issued it and it does not expire soon. */
export function isGood(certificatePem: string, domain: string, truststore: string, now: Date): boolean {
  const certificate = new X509Certificate(certificatePem);
  const names = [...(certificate.subjectAltName ?? "").matchAll(/DNS:([^,\s]+)/g)].map(([, name]) => name);
  const isOf = names.some((name) => name === domain || domain.endsWith(`.${name}`));
  const lasts = certificate.validToDate.getTime() > now.getTime() + renewalDays * dayMs;
  const authorities = truststore.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return isOf && lasts && authorities.some((pem) => certificate.verify(new X509Certificate(pem).publicKey));
}
