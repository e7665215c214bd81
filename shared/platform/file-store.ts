import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { now } from "./clock.ts";
import { environment } from "./environment.ts";
import { requestLimits } from "./request-limits.ts";

const objects = new S3Client({
  maxAttempts: 3,
  // Bodies are long: a part that stops coming has a limit too.
  requestHandler: { ...requestLimits(10_000), socketTimeout: 10_000 },
  // A presigned URL would otherwise have the checksum of no bytes. Writes name theirs.
  requestChecksumCalculation: "WHEN_REQUIRED",
});

export interface Part {
  /** The version that is meant: another one is as good as none. */
  readonly etag?: string;
  /** Bytes, the last one included. Default: all. */
  readonly range?: readonly [first: number, last: number];
}

interface UploadPart {
  readonly uploadId: string;
  /** From 1. */
  readonly number: number;
}

export interface Download {
  /** What a browser stores it as. */
  readonly fileName: string;
  readonly contentType: string;
  readonly expiresInSeconds: number;
}

export interface Lock {
  readonly mode: "COMPLIANCE" | "GOVERNANCE";
  readonly until: Date;
}

export class Bucket {
  readonly #name: () => string;

  constructor(name: () => string) {
    this.#name = name;
  }

  /** Undefined if the object does not exist, or was replaced, or ends before the range. */
  async read(key: string, { etag, range }: Part = {}): Promise<Uint8Array | undefined> {
    const found = await this.#get(key, {
      ...(etag !== undefined && { IfMatch: `"${etag}"` }),
      ...(range && { Range: `bytes=${range.join("-")}` }),
    });
    return found?.Body?.transformToByteArray();
  }

  /** A lock keeps this version, whoever deletes or replaces the object, until then. */
  async write(key: string, body: string | Uint8Array, contentType = "application/json", lock?: Lock) {
    const object = {
      ...this.#at(key),
      ContentType: contentType,
      Body: body,
      ...(lock && { ObjectLockMode: lock.mode, ObjectLockRetainUntilDate: lock.until }),
    };
    await objects.send(new PutObjectCommand({ ...object, ChecksumAlgorithm: "SHA256" }));
  }

  /** Begins an object that is written in parts, and is there once the last one is. */
  async beginUpload(key: string, contentType: string): Promise<string> {
    const begun = await objects.send(
      new CreateMultipartUploadCommand({ ...this.#at(key), ContentType: contentType }),
    );
    return begun.UploadId as string;
  }

  /** Returns the part's tag. All but the last part have 5 MB at least. */
  async writePart(key: string, { uploadId, number }: UploadPart, body: Uint8Array): Promise<string> {
    const part = { ...this.#at(key), UploadId: uploadId, PartNumber: number, Body: body };
    return (await objects.send(new UploadPartCommand(part))).ETag as string;
  }

  async completeUpload(key: string, uploadId: string, tags: readonly string[]): Promise<void> {
    const Parts = tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
    const upload = { ...this.#at(key), UploadId: uploadId, MultipartUpload: { Parts } };
    await objects.send(new CompleteMultipartUploadCommand(upload));
  }

  /** With an `etag`, only that version: another one stays. */
  async delete(key: string, { etag }: Pick<Part, "etag"> = {}): Promise<void> {
    const version = etag === undefined ? {} : { IfMatch: `"${etag}"` };
    try {
      await objects.send(new DeleteObjectCommand({ ...this.#at(key), ...version }));
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /**
   * A URL for `PUT` with this content type, of any bytes. It has this function's rights, and
   * ends with its role's session, too: hours after it begins.
   */
  uploadUrl(key: string, contentType: string, expiresInSeconds: number): Promise<string> {
    const upload = new PutObjectCommand({ ...this.#at(key), ContentType: contentType });
    const signableHeaders = new Set(["content-type"]);
    return getSignedUrl(objects, upload, {
      expiresIn: expiresInSeconds,
      signingDate: now(),
      signableHeaders,
    });
  }

  /** A URL for `GET`. */
  downloadUrl(key: string, { fileName, contentType, expiresInSeconds }: Download): Promise<string> {
    const download = new GetObjectCommand({
      ...this.#at(key),
      ResponseContentType: contentType,
      ResponseContentDisposition: `attachment; filename="${fileName.replaceAll(/[^\w. -]/g, "_")}"`,
    });
    return getSignedUrl(objects, download, { expiresIn: expiresInSeconds, signingDate: now() });
  }

  async #get(key: string, more: object): Promise<GetObjectCommandOutput | undefined> {
    try {
      return await objects.send(new GetObjectCommand({ ...this.#at(key), ...more }));
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  #at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#name(), Key: key };
  }
}

function isGone(error: unknown): boolean {
  if (error instanceof NoSuchKey) return true;
  return (
    error instanceof S3ServiceException &&
    ["PreconditionFailed", "NoSuchKey", "InvalidRange"].includes(error.name)
  );
}

/** The upload was completed, or has expired. */
export function isUploadGone(error: unknown): boolean {
  return error instanceof S3ServiceException && error.name === "NoSuchUpload";
}

/** Another writer of the same upload has replaced a part. */
export function isPartReplaced(error: unknown): boolean {
  return error instanceof S3ServiceException && error.name === "InvalidPart";
}

/** What is fed as a file, and the reports on it. */
export const filesBucket = new Bucket(() => environment.filesBucket);

/** What is locked, and kept for years. */
export const recordsBucket = new Bucket(() => environment.recordsBucket);

/** What customers upload. */
export const evidenceBucket = new Bucket(() => environment.evidenceBucket);
