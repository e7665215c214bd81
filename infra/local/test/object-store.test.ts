import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type AwsEndpoint, type AwsParts, openAwsEndpoint } from "../endpoint/aws-endpoint.ts";
import { openObjectStore } from "../endpoint/object-store.ts";
import type { PutEventsEntry } from "../events/event-bus.ts";
import { givenTemplate, REGION } from "./given-template.ts";

const notified = { NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } } };
const template = givenTemplate(
  ["AWS::S3::Bucket", "files", notified],
  ["AWS::S3::Bucket", "silent"],
  ["AWS::S3::Bucket", "lockable", { ObjectLockEnabled: true }],
  [
    "AWS::S3::Bucket",
    "locked",
    {
      ObjectLockEnabled: true,
      ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: "COMPLIANCE", Days: 10 } } },
    },
  ],
);
const nowMs = Date.parse("2026-11-20T00:00:00Z");
const directory = mkdtempSync(join(tmpdir(), "objects-"));
const events: PutEventsEntry[] = [];
let isBusDown = false;
let aws: AwsEndpoint;
let s3: S3Client;

function serve() {
  const bus = {
    put: async (entry: PutEventsEntry) => {
      if (isBusDown) return { ErrorCode: "InternalFailure", ErrorMessage: "down" };
      events.push(entry);
      return { EventId: "1" };
    },
  };
  aws.serve({ objects: openObjectStore(template, directory, bus, { now: () => nowMs }) } as AwsParts);
}

beforeAll(async () => {
  aws = await openAwsEndpoint();
  serve();
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  s3 = new S3Client({ region: REGION, endpoint: aws.endpoint, maxAttempts: 1, credentials });
});
afterEach(() => {
  events.length = 0;
  isBusDown = false;
});
afterAll(async () => {
  s3.destroy();
  await aws.stop();
  rmSync(directory, { recursive: true });
});

const put = (Key: string, Body: string | Uint8Array, Bucket = "files") =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body }));
const get = async (Key: string, more: object = {}) => {
  const { Body, ETag } = await s3.send(new GetObjectCommand({ Bucket: "files", Key, ...more }));
  return { text: await Body?.transformToString("latin1"), ETag };
};

describe("the object store", () => {
  it("returns the bytes that were put, whole or a range, also after a restart", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const { ETag } = await put("in/bank/a b+ü.xml", bytes);
    serve();
    expect(await get("in/bank/a b+ü.xml")).toEqual({ text: Buffer.from(bytes).toString("latin1"), ETag });
    expect((await get("in/bank/a b+ü.xml", { Range: "bytes=65-67" })).text).toBe("ABC");
    expect((await get("in/bank/a b+ü.xml", { Range: "bytes=254-999" })).text).toBe("\xfe\xff");
    expect(readFileSync(join(directory, "files/in/bank", encodeURIComponent("a b+ü.xml")))).toEqual(
      Buffer.from(bytes),
    );
  });

  it("publishes what was put into a bucket with EventBridge, as S3 does", async () => {
    const { ETag = "" } = await put("in/clearing/one", "1234");
    await put("one", "1234", "silent");
    expect(events).toEqual([
      {
        Source: "aws.s3",
        DetailType: "Object Created",
        Resources: ["arn:aws:s3:::files"],
        Detail: expect.any(String),
      },
    ]);
    expect(JSON.parse(events[0]?.Detail ?? "")).toMatchObject({
      bucket: { name: "files" },
      object: { key: "in/clearing/one", size: 4, etag: ETag.replaceAll('"', "") },
    });
  });

  it("answers 500 if the event cannot be stored, so that the sender puts the object again", async () => {
    isBusDown = true;
    await expect(put("in/clearing/two", "x")).rejects.toMatchObject({ $metadata: { httpStatusCode: 500 } });
  });

  it("knows an object that has been replaced", async () => {
    const { ETag = "" } = await put("replaced", "1");
    expect((await get("replaced", { IfMatch: ETag })).text).toBe("1");
    await put("replaced", "2");
    const removal = s3.send(new DeleteObjectCommand({ Bucket: "files", Key: "replaced", IfMatch: ETag }));
    await expect(removal).rejects.toMatchObject({ name: "PreconditionFailed" });
    expect((await get("replaced")).text).toBe("2");
    await expect(get("replaced", { IfMatch: ETag })).rejects.toMatchObject({ name: "PreconditionFailed" });
  });

  it("stores nothing whose bytes are not those of the SHA-256 that was sent", async () => {
    const ofOther = createHash("sha256").update("other").digest("base64");
    const named = { Bucket: "files", Key: "digest", Body: "1" };
    const damaged = s3.send(new PutObjectCommand({ ...named, ChecksumSHA256: ofOther }));
    await expect(damaged).rejects.toMatchObject({ name: "BadDigest" });
    await expect(get("digest")).rejects.toMatchObject({ name: "NoSuchKey" });
    await s3.send(new PutObjectCommand({ ...named, ChecksumAlgorithm: "SHA256" }));
    expect((await get("digest")).text).toBe("1");
  });

  const lockedPut = (Bucket: string, Body: string, more: object = { ChecksumAlgorithm: "SHA256" }) =>
    s3.send(new PutObjectCommand({ Bucket, Key: "kept", Body, ...more }));
  const until = (date: string) => ({
    ObjectLockMode: "COMPLIANCE" as const,
    ObjectLockRetainUntilDate: new Date(date),
    ChecksumAlgorithm: "SHA256" as const,
  });
  const remove = (Bucket: string) => s3.send(new DeleteObjectCommand({ Bucket, Key: "kept" }));

  it("replaces and deletes a locked object: S3 would keep the locked version behind", async () => {
    await lockedPut("locked", "1");
    await lockedPut("locked", "2");
    await remove("locked");
    await lockedPut("lockable", "1", until("2026-12-01T00:00:00Z"));
    await lockedPut("lockable", "2");
    await remove("lockable");
  });

  it("refuses a lock as S3 does: of a bucket without one, that has ended, or without a checksum", async () => {
    await expect(lockedPut("files", "1", until("2027-01-01T00:00:00Z"))).rejects.toThrow(
      "Bucket is missing Object Lock Configuration",
    );
    await expect(lockedPut("lockable", "1", until("2026-11-01T00:00:00Z"))).rejects.toThrow(
      "must be in the future",
    );
    const plain = new S3Client({
      region: REGION,
      endpoint: aws.endpoint,
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
      requestChecksumCalculation: "WHEN_REQUIRED",
    });
    const unchecked = plain.send(new PutObjectCommand({ Bucket: "locked", Key: "one", Body: "1" }));
    await expect(unchecked).rejects.toThrow("Content-MD5 OR x-amz-checksum-");
    plain.destroy();
  });

  it("deletes an object, and says what does not exist", async () => {
    await put("gone", "1");
    await s3.send(new DeleteObjectCommand({ Bucket: "files", Key: "gone" }));
    await s3.send(new DeleteObjectCommand({ Bucket: "files", Key: "gone" }));
    const version = new DeleteObjectCommand({ Bucket: "files", Key: "gone", IfMatch: '"1"' });
    await expect(s3.send(version)).rejects.toMatchObject({ name: "NoSuchKey" });
    await expect(get("gone")).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  it("stores nothing outside of its folder, and serves nothing else of S3", async () => {
    for (const path of ["files/../../evil", "files/a//b", "files/%2e%2e/evil"]) {
      const [host = "", port = ""] = new URL(aws.endpoint).host.split(":");
      const { request } = await import("node:http");
      const status = await new Promise((resolve, reject) => {
        const sent = request({ host, port, path: `/${path}`, method: "PUT" }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        sent.on("error", reject).end("x");
      });
      expect(status, path).toBe(400);
    }
    const list = s3.send(new ListObjectsV2Command({ Bucket: "files" }));
    await expect(list).rejects.toMatchObject({ name: "NotImplemented" });
  });
});
