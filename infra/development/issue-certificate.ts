import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralNames,
  type JsonName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A certificate and its private key (PKCS#8), both PEM. */
export interface CertifiedKey {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export interface ClientCertificateRequest extends Validity {
  readonly authority: CertifiedKey;
  readonly tenantId: string;
  readonly programIds: readonly string[];
  readonly domains: readonly string[];
}

export interface LeafRequest extends Validity {
  readonly authority: CertifiedKey;
  readonly subject: JsonName;
  readonly alternativeNames: JsonGeneralNames;
  readonly usage: "serverAuth" | "clientAuth";
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Creates a CA that can only sign leaf certificates. */
export async function issueAuthority(commonName: string, validity: Validity): Promise<CertifiedKey> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    ...validity,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return certifiedKey(certificate, keys);
}

/** Issues a client certificate: O is the Tenant, each OU a Program. */
export function issueClientCertificate(request: ClientCertificateRequest): Promise<CertifiedKey> {
  const { tenantId, programIds, domains, ...rest } = request;
  return issueLeaf({
    ...rest,
    subject: [{ O: [tenantId] }, ...programIds.map((programId) => ({ OU: [programId] }))],
    alternativeNames: domains.map((value) => ({ type: "dns", value })),
    usage: "clientAuth",
  });
}

/** Creates a P-256 key and signs its certificate with the authority's key. */
export async function issueLeaf(request: LeafRequest): Promise<CertifiedKey> {
  const { authority, subject, alternativeNames, usage, notBefore, notAfter } = request;
  const issuer = new X509Certificate(authority.certificatePem);
  const keys = await newKeys();
  const extensions: Extension[] = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage[usage]]),
    await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    await SubjectKeyIdentifierExtension.create(keys.publicKey),
  ];
  if (alternativeNames.length > 0) extensions.push(new SubjectAlternativeNameExtension(alternativeNames));
  const certificate = await X509CertificateGenerator.create({
    subject,
    issuer: issuer.subjectName,
    notBefore,
    notAfter,
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority.keyPem),
    signingAlgorithm: algorithm,
    extensions,
  });
  return certifiedKey(certificate, keys);
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

function signingKey(keyPem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey("pkcs8", PemConverter.decodeFirst(keyPem), algorithm, false, ["sign"]);
}

async function certifiedKey(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair) {
  const key = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return {
    certificatePem: `${certificate.toString("pem")}\n`,
    keyPem: `${PemConverter.encode(key, "PRIVATE KEY")}\n`,
  };
}
