import "../../shared/platform/reflect.ts";
import { createHash, X509Certificate as NodeCertificate } from "node:crypto";
import { GetPublicKeyCommand, KMSClient, SignCommand } from "@aws-sdk/client-kms";
import {
  AsnEcSignatureFormatter,
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PublicKey,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { randomToken } from "../../shared/platform/id.ts";
import { requestLimits } from "../../shared/platform/request-limits.ts";

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export interface Signer {
  readonly keyArn: string;
  readonly certificatePem: string;
}

interface ClientCertificateContent extends Validity {
  readonly tenantId: string;
  readonly programIds: readonly string[];
  readonly domains: readonly string[];
  readonly publicKey: PublicKey;
}

const ecdsa = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Self-signed, and limited to signing leaf certificates. */
export async function signAuthority(
  keyArn: string,
  { name, ...validity }: Validity & { readonly name: JsonName },
): Promise<string> {
  const publicKey = new PublicKey(Uint8Array.from(await authorityPublicKey(keyArn)));
  const content = { subject: name, issuer: name, publicKey, ...validity };
  return sign(keyArn, content, [
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    await SubjectKeyIdentifierExtension.create(publicKey),
  ]);
}

/** Contains only what the platform has checked. */
export async function signClientCertificate(
  signer: Signer,
  { tenantId, programIds, domains, publicKey, ...validity }: ClientCertificateContent,
): Promise<string> {
  const issuer = new X509Certificate(signer.certificatePem);
  const subject = [{ O: [tenantId] }, ...programIds.map((programId) => ({ OU: [programId] }))];
  const content = { subject, issuer: issuer.subjectName.toJSON(), publicKey, ...validity };
  const certificatePem = await sign(signer.keyArn, content, [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
    new SubjectAlternativeNameExtension(domains.map((value) => ({ type: "dns", value }))),
    await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    await SubjectKeyIdentifierExtension.create(publicKey),
  ]);
  requireIssued(certificatePem, signer.certificatePem);
  return certificatePem;
}

interface Content extends Validity {
  readonly subject: JsonName;
  readonly issuer: JsonName;
  readonly publicKey: PublicKey;
}

/** Gives the generator a WebCrypto that calls KMS, and converts the signature from DER. */
async function sign(
  keyArn: string,
  { subject, issuer, publicKey, notBefore, notAfter }: Content,
  extensions: Extension[],
): Promise<string> {
  const subtle = {
    sign: async (_algorithm: unknown, _key: unknown, text: ArrayBuffer) => {
      const der = Uint8Array.from(await signWithAuthority(keyArn, new Uint8Array(text)));
      return new AsnEcSignatureFormatter().toWebSignature(ecdsa, der);
    },
  };
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: Buffer.from(randomToken(16), "base64url").toString("hex"),
      subject,
      issuer,
      notBefore,
      notAfter,
      publicKey,
      // A placeholder: KMS signs with the key of the ARN.
      signingKey: { algorithm: ecdsa } as never,
      signingAlgorithm: ecdsa,
      extensions,
    },
    { subtle } as never,
  );
  return `${certificate.toString("pem")}\n`;
}

/** A certificate that the gateway rejects must not be handed out or replace a valid one. */
function requireIssued(certificatePem: string, authorityPem: string): void {
  const certificate = new NodeCertificate(certificatePem);
  const authority = new NodeCertificate(authorityPem);
  if (!certificate.checkIssued(authority) || !certificate.verify(authority.publicKey)) {
    throw new Error("The CA's key does not belong to its certificate.");
  }
}

const kms = new KMSClient({
  maxAttempts: 3,
  requestHandler: requestLimits(2_000),
});

/** The CA's record may be of the other region, whose key has the same id. */
function toKeyId(keyArn: string): string {
  return keyArn.slice(keyArn.lastIndexOf("/") + 1);
}

/** SubjectPublicKeyInfo in DER. */
export async function authorityPublicKey(keyArn: string): Promise<Uint8Array> {
  const { PublicKey } = await kms.send(new GetPublicKeyCommand({ KeyId: toKeyId(keyArn) }));
  return present(PublicKey);
}

/** An ECDSA signature in DER. KMS signs the digest: it never gets the text. */
async function signWithAuthority(keyArn: string, text: Uint8Array): Promise<Uint8Array> {
  const { Signature } = await kms.send(
    new SignCommand({
      KeyId: toKeyId(keyArn),
      Message: createHash("sha256").update(text).digest(),
      MessageType: "DIGEST",
      SigningAlgorithm: "ECDSA_SHA_256",
    }),
  );
  return present(Signature);
}

function present(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw new Error("The answer of KMS has no bytes.");
  return bytes;
}
