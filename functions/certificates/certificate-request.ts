import "reflect-metadata";
import { createPublicKey } from "node:crypto";
import { Pkcs10CertificateRequest, type PublicKey, SubjectAlternativeNameExtension } from "@peculiar/x509";

/** What a certificate signing request claims; nothing of it is verified yet. */
export interface CertificateRequest {
  readonly organizations: readonly string[];
  readonly organizationalUnits: readonly string[];
  readonly alternativeNames: readonly { readonly type: string; readonly value: string }[];
  readonly publicKey: PublicKey;
  readonly hasStrongKey: boolean;
  /** Whether SHA-256 or a longer hash is signed. */
  readonly hasStrongHash: boolean;
  /** Proves that the requester has the private key. */
  isSelfSigned(): Promise<boolean>;
}

const oneRequest =
  /^\s*-----BEGIN (NEW )?CERTIFICATE REQUEST-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END \1?CERTIFICATE REQUEST-----\s*$/;
const alternativeNameType = "2.5.29.17";
const strongHashes = new Set(["SHA-256", "SHA-384", "SHA-512"]);
const rsaBits = { minimum: 2048, maximum: 8192 };
/** The least that FIPS 186-5 permits; a smaller one makes weak padding forgeable. */
const smallestExponent = 65_537n;

/** Reads one PKCS#10 request in PEM, else undefined: the parser throws errors of any kind. */
export function readCertificateRequest(pem: string): CertificateRequest | undefined {
  const base64 = oneRequest.exec(pem)?.[2];
  if (base64 === undefined) return undefined;
  try {
    return contentOf(new Pkcs10CertificateRequest(Buffer.from(base64, "base64")));
  } catch {
    return undefined;
  }
}

function contentOf(request: Pkcs10CertificateRequest): CertificateRequest {
  const attributes = request.subjectName.toJSON();
  const valuesOf = (type: string) => attributes.flatMap((attribute) => attribute[type] ?? []);
  const names = request.getExtension(alternativeNameType);
  const algorithm: { hash?: { name?: string } } = request.signatureAlgorithm;
  return {
    organizations: valuesOf("O"),
    organizationalUnits: valuesOf("OU"),
    alternativeNames: names instanceof SubjectAlternativeNameExtension ? [...names.names.items] : [],
    publicKey: request.publicKey,
    hasStrongKey: isStrong(request.publicKey),
    hasStrongHash: strongHashes.has(algorithm.hash?.name ?? ""),
    isSelfSigned: () => request.verify().catch(() => false),
  };
}

/** RSA of 2048 bits or more, or the curve P-256, by its name. */
function isStrong({ algorithm, rawData }: PublicKey): boolean {
  const { name, namedCurve }: { name?: string; namedCurve?: string } = algorithm;
  if (name === "ECDSA") return namedCurve === "P-256";
  if (name !== "RSASSA-PKCS1-v1_5") return false;
  const key = createPublicKey({ key: Buffer.from(rawData), format: "der", type: "spki" });
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  const isLong = modulusLength >= rsaBits.minimum && modulusLength <= rsaBits.maximum;
  return isLong && publicExponent >= smallestExponent;
}
