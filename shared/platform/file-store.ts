import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { environment } from "./environment.ts";

const objects = new S3Client({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 10_000 },
});

export interface Part {
  /** The version that is meant: another one is as good as none. */
  readonly etag?: string;
  /** Bytes, the last one included. Default: all. */
  readonly range?: readonly [first: number, last: number];
}

/** Undefined if the object does not exist, or was replaced. */
export async function readObject(key: string, { etag, range }: Part = {}): Promise<Uint8Array | undefined> {
  const found = await get(key, {
    ...(etag !== undefined && { IfMatch: `"${etag}"` }),
    ...(range && { Range: `bytes=${range.join("-")}` }),
  });
  return found?.Body?.transformToByteArray();
}

async function get(key: string, more: object): Promise<GetObjectCommandOutput | undefined> {
  try {
    return await objects.send(new GetObjectCommand({ Bucket: environment.filesBucket, Key: key, ...more }));
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  if (error instanceof NoSuchKey) return true;
  return error instanceof S3ServiceException && ["PreconditionFailed", "NoSuchKey"].includes(error.name);
}

export async function writeObject(key: string, text: string): Promise<void> {
  const object = { Bucket: environment.filesBucket, Key: key, ContentType: "application/json" };
  await objects.send(new PutObjectCommand({ ...object, Body: text }));
}

/** With an `etag`, only that version: another one stays. */
export async function deleteObject(key: string, { etag }: Pick<Part, "etag"> = {}): Promise<void> {
  const version = etag === undefined ? {} : { IfMatch: `"${etag}"` };
  try {
    await objects.send(new DeleteObjectCommand({ Bucket: environment.filesBucket, Key: key, ...version }));
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
