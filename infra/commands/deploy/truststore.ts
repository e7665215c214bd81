import { createHash, X509Certificate } from "node:crypto";
import { HeadObjectCommand, NotFound, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { truststoreKey } from "../../constructs/api/domain.ts";

const certificatePattern = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * Checks a bundle of client CAs: PEM, only CA certificates, valid at `now`. Throws an Error with
 * the certificate and its fault.
 */
export function checkClientCaBundle(pem: string, now: Date) {
  if (pem.includes("PRIVATE KEY")) {
    throw new Error(
      "The bundle holds a private key: only the CA's certificate goes here, its key never leaves the CA.",
    );
  }
  const certificates = (pem.match(certificatePattern) ?? []).map((block) => new X509Certificate(block));
  if (certificates.length === 0) throw new Error("The bundle holds no certificate.");
  for (const certificate of certificates) {
    const name = certificate.subject.replaceAll("\n", ", ");
    if (!certificate.ca) throw new Error(`${name} is not a CA certificate: it can vouch for no client.`);
    if (certificate.validFromDate > now || certificate.validToDate < now) {
      throw new Error(`${name} is valid from ${certificate.validFrom} to ${certificate.validTo}, not now.`);
    }
  }
}

/** Returns the S3 version of the current bundle; undefined before the first upload. */
export async function clientCaBundleVersion(s3: S3Client, bucket: string): Promise<string | undefined> {
  return (await currentBundle(s3, bucket))?.VersionId;
}

function currentBundle(s3: S3Client, bucket: string) {
  const object = { Bucket: bucket, Key: truststoreKey };
  return s3.send(new HeadObjectCommand(object)).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
}

/** Uploads the bundle if it changed, and returns its S3 version. */
export async function uploadClientCaBundle(s3: S3Client, bucket: string, pem: string): Promise<string> {
  const object = { Bucket: bucket, Key: truststoreKey };
  const digest = createHash("sha256").update(pem).digest("hex");
  const current = await currentBundle(s3, bucket);
  const { VersionId } =
    current?.Metadata?.sha256 === digest
      ? current
      : await s3.send(
          new PutObjectCommand({
            ...object,
            Body: pem,
            ContentType: "application/x-pem-file",
            Metadata: { sha256: digest },
          }),
        );
  if (VersionId === undefined) throw new Error(`${bucket} keeps no versions.`);
  return VersionId;
}
