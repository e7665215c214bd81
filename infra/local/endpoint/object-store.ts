import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { EventBus } from "../events/event-bus.ts";
import { writeWholeFile } from "../files.ts";
import { type Clock, ServiceError } from "../interfaces.ts";
import type { Assembly, Resource } from "../template.ts";

export interface ObjectCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface ObjectAnswer {
  readonly status: number;
  readonly body?: Buffer;
  readonly headers?: Record<string, string>;
}

/** Unlike S3's, it is no digest: callers may only compare it. */
function toEtag({ ino, size, mtimeMs }: Stats): string {
  return [ino, size, Math.round(mtimeMs * 1000)].map((part) => part.toString(16)).join("-");
}

export function fault(status: number, code: string, message: string): ObjectAnswer {
  const text = message.replace(/[<>&]/g, "");
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${text}</Message></Error>`;
  return { status, body: Buffer.from(body), headers: { "content-type": "application/xml" } };
}

export type ObjectStore = ReturnType<typeof openObjectStore>;

interface Place {
  readonly bucket: Resource;
  readonly key: string;
  readonly file: string;
}

/**
 * What functions and commands use of S3: put, also in parts; get with a range; delete. An object is
 * a file, written whole before its event and the answer.
 */
export function openObjectStore(
  assembly: Assembly,
  directory: string,
  bus: Pick<EventBus, "put">,
  clock: Pick<Clock, "now"> = { now: Date.now },
) {
  const buckets = new Map(assembly.ofType("AWS::S3::Bucket").map((one) => [one.physicalName, one]));
  const putObject = async (place: Place, call: ObjectCall): Promise<ObjectAnswer> => {
    writeObject(place, call, new Date(clock.now()));
    const found = statSync(place.file);
    if (place.bucket.properties.NotificationConfiguration !== undefined) await publish(bus, place, found);
    return { status: 200, headers: { etag: `"${toEtag(found)}"` } };
  };
  const operations: Record<string, (place: Place, call: ObjectCall) => ObjectAnswer | Promise<ObjectAnswer>> =
    {
      POST: ({ key }) => fault(405, "MethodNotAllowed", `An upload in parts is named: ${key}`),
      PUT: putObject,
      GET: readObject,
      DELETE: ({ file, key }, { headers }) => {
        const found = statSync(file, { throwIfNoEntry: false });
        if (!found && headers["if-match"] !== undefined) return missing(key);
        if (found) requireSame(found, headers);
        rmSync(file, { force: true });
        return { status: 204 };
      },
    };
  return {
    /** Whether the path's first segment is a bucket of the template. */
    serves: (path: string) => buckets.has(toSegments(path)[0] ?? ""),
    answer: async (call: ObjectCall): Promise<ObjectAnswer> => {
      const [name = "", ...segments] = toSegments(call.path);
      const bucket = buckets.get(name);
      const operation = operations[call.method];
      const isPlain = [...call.query.keys()].every((name) => isServed(name));
      if (bucket === undefined || operation === undefined || !isPlain || isStreamed(call))
        return fault(501, "NotImplemented", `${call.method} ${call.path}?${call.query} is not served here`);
      // A folder of the disk stands for each segment.
      const isFit = segments.every((one) => !/^\.{0,2}$/.test(one) && Buffer.byteLength(one) <= 200);
      if (segments.length === 0 || !isFit)
        return fault(400, "InvalidArgument", "This key is not stored here");
      const file = join(directory, name, ...segments.map(encodeURIComponent));
      const place = { bucket, key: segments.join("/"), file };
      const putWhole = (body: Buffer) => putObject(place, { ...call, headers: {}, body });
      try {
        return (await answerUpload(file, call, putWhole)) ?? (await operation(place, call));
      } catch (error) {
        if (error instanceof ServiceError) return fault(error.status, error.code, error.message);
        throw error;
      }
    },
  };
}

/** @throws ServiceError if S3 would refuse the object, which is not written then */
function writeObject({ bucket, file }: Place, { headers, body }: ObjectCall, now: Date): void {
  if (!hasChecksum(headers, body)) {
    const message = "The checksum you specified did not match what we received.";
    throw new ServiceError(400, "BadDigest", message);
  }
  requireLockable(bucket, { headers }, now);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeWholeFile(file, body, 0o600);
}

function isServed(name: string): boolean {
  return ["x-id", "uploads", "uploadId", "partNumber"].includes(name) || name in overrides;
}

/** What who reads an object may have it answered with. */
const overrides: Readonly<Record<string, string>> = {
  "response-content-disposition": "content-disposition",
  "response-content-type": "content-type",
};

function toSegments(path: string): string[] {
  return path.slice(1).split("/").map(decodeURIComponent);
}

/** Signed in chunks: the SDK does so with a body of unknown length. */
function isStreamed({ headers }: ObjectCall): boolean {
  return String(headers["x-amz-content-sha256"]).startsWith("STREAMING");
}

function hasChecksum({ "x-amz-checksum-sha256": wanted }: ObjectCall["headers"], body: Buffer): boolean {
  return wanted === undefined || wanted === createHash("sha256").update(body).digest("base64");
}

async function publish(bus: Pick<EventBus, "put">, { bucket, key }: Place, found: Stats): Promise<void> {
  const detail = {
    version: "0",
    bucket: { name: bucket.physicalName },
    object: { key, size: found.size, etag: toEtag(found) },
    reason: "PutObject",
  };
  const result = await bus.put({
    Source: "aws.s3",
    DetailType: "Object Created",
    Detail: JSON.stringify(detail),
    Resources: [bucket.arn],
  });
  if ("ErrorCode" in result) throw new Error(result.ErrorMessage);
}

function readObject({ file, key }: Place, { headers, query }: ObjectCall): ObjectAnswer {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch {
    return missing(key);
  }
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) return missing(key);
    const { range } = headers;
    requireSame(found, headers);
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(String(range)) ?? [];
    if (range !== undefined && (first === undefined || Number(first) >= found.size))
      return fault(416, "InvalidRange", "The requested range is not satisfiable");
    const from = Number(first ?? 0);
    const to = Math.min(last ? Number(last) : found.size - 1, found.size - 1);
    const body = Buffer.alloc(to - from + 1);
    readSync(descriptor, body, 0, body.length, from);
    const asked = [...query].flatMap(([name, value]) =>
      name in overrides ? [[overrides[name], value]] : [],
    );
    const described = { ...toHeaders(found), ...Object.fromEntries(asked) };
    if (range === undefined) return { status: 200, body, headers: described };
    const contentRange = `bytes ${from}-${to}/${found.size}`;
    const length = String(body.length);
    const more = { "content-range": contentRange, "content-length": length };
    return { status: 206, body, headers: { ...described, ...more } };
  } finally {
    closeSync(descriptor);
  }
}

function requireSame(found: Stats, { "if-match": wanted }: ObjectCall["headers"]): void {
  if (wanted === undefined || wanted === `"${toEtag(found)}"`) return;
  const message = "At least one of the pre-conditions you specified did not hold";
  throw new ServiceError(412, "PreconditionFailed", message);
}

function toHeaders(found: Stats): Record<string, string> {
  return {
    etag: `"${toEtag(found)}"`,
    "content-length": String(found.size),
    "content-type": "binary/octet-stream",
    "last-modified": found.mtime.toUTCString(),
  };
}

function missing(key: string): ObjectAnswer {
  return fault(404, "NoSuchKey", `The specified key does not exist: ${key}`);
}

const withoutChecksum =
  "Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters";

interface Configured {
  readonly ObjectLockEnabled?: unknown;
  readonly ObjectLockConfiguration?: unknown;
}

/**
 * S3 keeps a locked version behind a new one, or behind a delete marker: this store has one version
 * of an object, and only takes locks as S3 does.
 * @throws ServiceError if S3 would refuse the request
 */
function requireLockable(
  { properties }: Resource,
  { headers }: Pick<ObjectCall, "headers">,
  now: Date,
): void {
  const { ObjectLockEnabled, ObjectLockConfiguration } = properties as Configured;
  const mode = headers["x-amz-object-lock-mode"];
  const wanted = headers["x-amz-object-lock-retain-until-date"];
  const isAsked = mode !== undefined || wanted !== undefined;
  if (isAsked && String(ObjectLockEnabled) !== "true")
    throw new ServiceError(400, "InvalidRequest", "Bucket is missing Object Lock Configuration");
  const hasChecksum = Object.keys(headers).some((name) => /^(content-md5|x-amz-checksum-)/.test(name));
  if ((isAsked || ObjectLockConfiguration !== undefined) && !hasChecksum)
    throw new ServiceError(400, "InvalidRequest", withoutChecksum);
  if (!isAsked) return;
  const until = new Date(String(wanted));
  if (!/^(COMPLIANCE|GOVERNANCE)$/.test(String(mode)) || Number.isNaN(until.getTime()))
    throw new ServiceError(400, "InvalidArgument", "A lock has a mode and a date");
  if (until <= now)
    throw new ServiceError(400, "InvalidArgument", "The retain until date must be in the future!");
}

type PutWhole = (body: Buffer) => Promise<ObjectAnswer>;

/** Uploads of an object in parts: begin, put a part, complete. Undefined for other calls. */
async function answerUpload(
  file: string,
  { method, query, body }: ObjectCall,
  putWhole: PutWhole,
): Promise<ObjectAnswer | undefined> {
  const uploadId = query.get("uploadId");
  if (method === "POST" && query.has("uploads")) return begin(file);
  if (uploadId === null || !/^[\w-]+$/.test(uploadId)) return undefined;
  const folder = `${file}.upload-${uploadId}`;
  if (!statSync(folder, { throwIfNoEntry: false })) return fault(404, "NoSuchUpload", "This upload is over");
  if (method === "PUT") return putPart(join(folder, String(Number(query.get("partNumber")))), body);
  return method === "POST" ? complete(folder, body.toString(), putWhole) : undefined;
}

function begin(file: string): ObjectAnswer {
  const uploadId = randomUUID();
  mkdirSync(`${file}.upload-${uploadId}`, { recursive: true, mode: 0o700 });
  return xml(
    `<InitiateMultipartUploadResult><UploadId>${uploadId}</UploadId></InitiateMultipartUploadResult>`,
  );
}

function putPart(part: string, body: Buffer): ObjectAnswer {
  writeWholeFile(part, body, 0o600);
  return { status: 200, headers: { etag: toTag(part) } };
}

async function complete(folder: string, wanted: string, putWhole: PutWhole): Promise<ObjectAnswer> {
  const unescaped = wanted.replaceAll("&quot;", '"');
  const tags = [...unescaped.matchAll(/<ETag>(.*?)<\/ETag>/g)].map(([, tag]) => tag);
  const parts = readdirSync(folder).sort((one, other) => Number(one) - Number(other));
  const files = parts.map((part) => join(folder, part));
  if (files.length !== tags.length || files.some((part, index) => toTag(part) !== tags[index]))
    return fault(400, "InvalidPart", "One or more of the specified parts could not be found");
  const { status, headers } = await putWhole(Buffer.concat(files.map((part) => readFileSync(part))));
  rmSync(folder, { recursive: true });
  if (status !== 200) return { status, ...(headers && { headers }) };
  return xml(`<CompleteMultipartUploadResult><ETag>${headers?.etag}</ETag></CompleteMultipartUploadResult>`);
}

function toTag(part: string): string {
  return `"${toEtag(statSync(part))}"`;
}

function xml(text: string): ObjectAnswer {
  const body = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`);
  return { status: 200, body, headers: { "content-type": "application/xml" } };
}
