import { createHash, X509Certificate } from "node:crypto";
import { HeadObjectCommand, NotFound, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { truststoreKey } from "../../../shared/contract/authority.ts";
import { unlessMissing } from "../unless-missing.ts";

const certificatePattern = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Throws an Error with the certificate and its fault. */
export function checkClientCaBundle(pem: string, now: Date) {
  if (pem.includes("PRIVATE KEY")) {
    throw new Error("The bundle contains a private key. It must contain only CA certificates.");
  }
  const certificates = (pem.match(certificatePattern) ?? []).map((block) => new X509Certificate(block));
  if (certificates.length === 0)
    throw new Error("The bundle contains no certificate. It must contain at least one CA certificate.");
  for (const certificate of certificates) {
    const name = certificate.subject.replaceAll("\n", ", ");
    if (!certificate.ca)
      throw new Error(`${name} is not a CA certificate. The bundle must contain only CA certificates.`);
    if (certificate.validFromDate > now || certificate.validToDate < now) {
      throw new Error(`${name} is valid from ${certificate.validFrom} to ${certificate.validTo}, not now.`);
    }
  }
}

/** Undefined before the first upload. */
export async function clientCaBundleVersion(s3: S3Client, bucket: string): Promise<string | undefined> {
  return (await currentBundle(s3, bucket))?.VersionId;
}

function currentBundle(s3: S3Client, bucket: string) {
  const object = { Bucket: bucket, Key: truststoreKey };
  return unlessMissing(s3.send(new HeadObjectCommand(object)), NotFound);
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
  if (VersionId === undefined)
    throw new Error(`${bucket} has no versioning. The truststore bucket must have it.`);
  return VersionId;
}
