import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { toAccessKey } from "../access/access-control.ts";
import { toSecretKey } from "../access/guard.ts";
import { type ObjectPort, startObjectPort } from "../endpoint/object-port.ts";
import { openObjectStore } from "../endpoint/object-store.ts";
import { allow, assemblyWith, control, keyArn, region } from "./given-role.ts";

const bucket = "arn:aws:s3:::files";
const viaS3 = { StringEquals: { "kms:ViaService": `s3.${region}.amazonaws.com` } };
const onKey = allow(["kms:Decrypt", "kms:GenerateDataKey"], keyArn, viaS3);
const reads = allow("s3:GetObject", `${bucket}/in/*`);
const writes = allow("s3:PutObject", `${bucket}/in/*`);
const deletes = allow("s3:DeleteObject", `${bucket}/in/*`);

const startedAt = Date.parse("2026-11-25T12:00:00Z");
const clock = { ms: startedAt, now: () => clock.ms };
const directory = mkdtempSync(join(tmpdir(), "objects-"));
let statements: object[] = [];
let port: ObjectPort;
let s3: S3Client;

const clientOf = (endpoint: string, secretAccessKey = toSecretKey(toAccessKey("cards")) ?? "") =>
  new S3Client({
    region,
    endpoint,
    maxAttempts: 1,
    credentials: { accessKeyId: toAccessKey("cards"), secretAccessKey },
    requestChecksumCalculation: "WHEN_REQUIRED",
  });

beforeAll(async () => {
  port = await startObjectPort({
    region,
    clock,
    check: (id, call) => control(...statements).access.check(id, call),
  });
  const store = openObjectStore(assemblyWith(), directory, { put: async () => ({ EventId: "1" }) });
  port.serve({ answer: store.answer });
  s3 = clientOf(port.url);
});
afterEach(() => {
  statements = [];
  clock.ms = startedAt;
});
afterAll(async () => {
  s3.destroy();
  await port.stop();
  rmSync(directory, { recursive: true });
});

describe("a function's call of S3", () => {
  const call = { method: "PUT", path: "/files/in/clearing/a%20b", service: "s3" } as const;

  it.each([
    ["PUT", "s3:PutObject", "kms:GenerateDataKey"],
    ["POST", "s3:PutObject", "kms:GenerateDataKey"],
    ["GET", "s3:GetObject", "kms:Decrypt"],
  ])("%s needs its right on the object, and on the bucket's key", (method, action, withKey) => {
    const check = (...given: object[]) => control(...given).call(undefined as never, {}, { ...call, method });
    const onObject = allow(action, `${bucket}/in/*`);
    const rightOnKey = allow(withKey, keyArn, viaS3);
    expect(() => check(onObject, rightOnKey)).not.toThrow();
    expect(() => check(allow(action, `${bucket}/reports/*`), rightOnKey)).toThrow(
      `perform: ${action} on resource: ${bucket}/in/clearing/a b`,
    );
    expect(() => check(onObject)).toThrow(withKey);
  });

  it("DELETE of a version needs the right to read it, too, as in S3", async () => {
    statements = [reads, writes, onKey];
    const named = { Bucket: "files", Key: "in/version" };
    const { ETag } = await s3.send(new PutObjectCommand({ ...named, Body: "1" }));
    statements = [deletes];
    const deletion = () => s3.send(new DeleteObjectCommand({ ...named, IfMatch: ETag }));
    await expect(deletion()).rejects.toMatchObject({
      name: "AccessDenied",
      message: expect.stringContaining("s3:GetObject"),
    });
    statements = [deletes, reads, onKey];
    await deletion();
    await expect(s3.send(new GetObjectCommand(named))).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  it("is denied as S3 denies it, also with the key of another run", async () => {
    const read = s3.send(new GetObjectCommand({ Bucket: "files", Key: "in/a" }));
    await expect(read).rejects.toMatchObject({ name: "AccessDenied", $metadata: { httpStatusCode: 403 } });
    statements = [reads, onKey];
    const other = clientOf(port.url, "local");
    const forged = other.send(new GetObjectCommand({ Bucket: "files", Key: "in/a" }));
    await expect(forged).rejects.toMatchObject({ name: "SignatureDoesNotMatch" });
    other.destroy();
  });

  it("must have the bytes that it signed", async () => {
    statements = [writes, onKey];
    const changed = clientOf(port.url);
    changed.middlewareStack.add(
      (next) => (args) => next({ ...args, request: Object.assign(args.request as object, { body: "2" }) }),
      { step: "finalizeRequest", priority: "low" },
    );
    const put = changed.send(new PutObjectCommand({ Bucket: "files", Key: "in/a", Body: "1" }));
    await expect(put).rejects.toMatchObject({ name: "XAmzContentSHA256Mismatch" });
    changed.destroy();
  });
});

describe("a presigned URL", () => {
  const options = () => ({ expiresIn: 1_800, signingDate: new Date(clock.ms) });
  const uploadUrl = (Key: string) =>
    getSignedUrl(s3, new PutObjectCommand({ Bucket: "files", Key, ContentType: "image/png" }), {
      ...options(),
      signableHeaders: new Set(["content-type"]),
    });
  const downloadUrl = (Key: string, more: object = {}) =>
    getSignedUrl(s3, new GetObjectCommand({ Bucket: "files", Key, ...more }), options());
  const upload = (url: string, headers: Record<string, string> = { "content-type": "image/png" }) =>
    fetch(url, { method: "PUT", body: "the bytes", headers });
  const givenObject = async (Key: string) => {
    statements = [reads, writes, onKey];
    await upload(await uploadUrl(Key));
  };
  const errorOf = async (answer: Response) => {
    const [, code, message] = /<Code>(.*)<\/Code><Message>(.*)<\/Message>/.exec(await answer.text()) ?? [];
    return { status: answer.status, type: answer.headers.get("content-type"), code, message };
  };
  const denied = (code: string, message: string | RegExp = /./) => ({
    status: 403,
    type: "application/xml",
    code,
    message: typeof message === "string" ? message : expect.stringMatching(message),
  });

  it("uploads, and downloads all or a range under the name and type that it gives", async () => {
    statements = [reads, writes, onKey];
    const put = await upload(await uploadUrl("in/a b+ü.png"));
    expect([put.status, await put.text()]).toEqual([200, ""]);
    const got = await fetch(
      await downloadUrl("in/a b+ü.png", {
        ResponseContentType: "image/png",
        ResponseContentDisposition: 'attachment; filename="a.png"',
      }),
    );
    expect(await got.text()).toBe("the bytes");
    expect(got.headers.get("content-type")).toBe("image/png");
    expect(got.headers.get("content-disposition")).toBe('attachment; filename="a.png"');
    const url = await downloadUrl("in/a b+ü.png");
    const part = await fetch(url, { headers: { range: "bytes=4-6" } });
    expect([part.status, await part.text()]).toEqual([206, "byt"]);
    const other = await fetch(url, { headers: { "if-match": '"1"' } });
    expect(await errorOf(other)).toMatchObject({ status: 412, code: "PreconditionFailed" });
    expect(await errorOf(await fetch(await downloadUrl("in/none")))).toMatchObject({
      status: 404,
      code: "NoSuchKey",
    });
  });

  it("has the rights of the function that signed it when it is used", async () => {
    const url = await uploadUrl("in/rights");
    expect(await errorOf(await upload(url))).toEqual(denied("AccessDenied", /cards.* s3:PutObject/));
    statements = [writes];
    expect(await errorOf(await upload(url))).toEqual(denied("AccessDenied", /kms:GenerateDataKey/));
    statements = [writes, onKey];
    expect((await upload(url)).status).toBe(200);
  });

  it("ends on the virtual clock, and does not begin in the future", async () => {
    await givenObject("in/time");
    const url = await downloadUrl("in/time");
    clock.ms += 1_800_000;
    expect((await fetch(url)).status).toBe(200);
    clock.ms += 1;
    expect(await errorOf(await fetch(url))).toEqual(denied("AccessDenied", "Request has expired"));
    clock.ms = startedAt - 15 * 60_000 - 1;
    expect(await errorOf(await fetch(url))).toEqual(denied("AccessDenied", "Request is not valid yet"));
  });

  it.each<[string, (url: URL) => unknown]>([
    ["key", (url) => Object.assign(url, { pathname: "/files/in/other" })],
    ["expiry", (url) => url.searchParams.set("X-Amz-Expires", "604800")],
    ["date", (url) => url.searchParams.set("X-Amz-Date", "20261125T120001Z")],
    ["content type of the answer", (url) => url.searchParams.set("response-content-type", "text/html")],
    ["further parameter", (url) => url.searchParams.set("versionId", "1")],
    ["signature", (url) => url.searchParams.set("X-Amz-Signature", "0".repeat(64))],
    ["length of the signature", (url) => url.searchParams.set("X-Amz-Signature", "0")],
  ])("is refused with another %s", async (_, change) => {
    await givenObject("in/changed");
    const url = new URL(await downloadUrl("in/changed", { ResponseContentType: "image/png" }));
    expect((await fetch(url)).status).toBe(200);
    change(url);
    expect(await errorOf(await fetch(url))).toEqual(denied("SignatureDoesNotMatch"));
  });

  it("is refused with another method, content type, host or key, and without a signature", async () => {
    await givenObject("in/changed");
    const url = await uploadUrl("in/changed");
    expect(await errorOf(await fetch(url))).toEqual(denied("SignatureDoesNotMatch"));
    const asHtml = await upload(url, { "content-type": "text/html" });
    expect(await errorOf(asHtml)).toEqual(denied("SignatureDoesNotMatch"));
    const unsigned = { "content-type": "image/png", "x-amz-tagging": "a=b" };
    expect(await errorOf(await upload(url, unsigned))).toEqual(denied("AccessDenied", /not signed/));
    const byName = (await downloadUrl("in/changed")).replace("127.0.0.1", "localhost");
    expect(await errorOf(await fetch(byName))).toEqual(denied("SignatureDoesNotMatch"));
    const stranger = new URL(url);
    stranger.searchParams.set("X-Amz-Credential", `AKIA/20261125/${region}/s3/aws4_request`);
    expect(await errorOf(await upload(stranger.href))).toEqual(denied("InvalidAccessKeyId"));
    const bare = new URL(url);
    bare.search = "";
    expect(await errorOf(await fetch(bare))).toEqual(denied("AccessDenied", "Access Denied"));
  });

  it.each([
    ["X-Amz-Algorithm", "AWS4-HMAC-SHA1"],
    ["X-Amz-Expires", "604801"],
    ["X-Amz-Expires", "soon"],
    ["X-Amz-Date", ""],
    ["X-Amz-Credential", `${toAccessKey("cards")}/20261125/us-east-1/s3/aws4_request`],
  ])("is malformed with the %s %s", async (name, value) => {
    const url = new URL(await downloadUrl("in/malformed"));
    url.searchParams.set(name, value);
    expect(await errorOf(await fetch(url))).toMatchObject({
      status: 400,
      code: "AuthorizationQueryParametersError",
    });
  });
});
