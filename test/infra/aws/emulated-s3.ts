import { createHash } from "node:crypto";
import type { Answer, Request } from "./emulated-aws.ts";

interface StoredObject {
  readonly body: Buffer;
  readonly version: string;
  readonly metadata: Readonly<Record<string, string>>;
}

const xmlHead = '<?xml version="1.0" encoding="UTF-8"?>';

/** Versioned buckets, each object at its last version, with the bucket in the path. */
export class EmulatedBuckets {
  readonly all = new Map<string, Map<string, StoredObject>>();
  #versions = 0;

  create(bucket: string): void {
    if (!this.all.has(bucket)) this.all.set(bucket, new Map());
  }

  /** The text of the object that an address names. */
  textAt(url: string): string | undefined {
    const [, bucket = "", ...key] = decodeURIComponent(new URL(url).pathname).split("/");
    return this.all.get(bucket)?.get(key.join("/"))?.body.toString();
  }

  answer(request: Request): Answer {
    const [, name = "", ...rest] = request.path.split("/");
    const bucket = this.all.get(name);
    if (bucket === undefined) return refusal(404, "NoSuchBucket");
    const key = rest.join("/");
    return key === "" ? ofBucket(request, name, bucket) : this.#ofObject(request, bucket, key);
  }

  #ofObject({ method, headers, body }: Request, bucket: Map<string, StoredObject>, key: string): Answer {
    if (method === "PUT") {
      this.#versions += 1;
      const stored = {
        body: contentOf(headers, body),
        version: `version-${this.#versions}`,
        metadata: metadataOf(headers),
      };
      bucket.set(key, stored);
      return { status: 200, body: "", headers: headersOf(stored) };
    }
    const stored = bucket.get(key);
    if (stored === undefined) return refusal(404, "NoSuchKey");
    return { status: 200, body: stored.body, headers: headersOf(stored) };
  }
}

function ofBucket({ query }: Request, name: string, bucket: Map<string, StoredObject>): Answer {
  if (query.has("location")) return xml("<LocationConstraint>eu-west-1</LocationConstraint>");
  if (query.has("encryption")) {
    return xml(
      "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>",
    );
  }
  const prefix = query.get("prefix") ?? "";
  const found = [...bucket].filter(([key]) => key.startsWith(prefix));
  const contents = found.map(
    ([key, { body }]) => `<Contents><Key>${key}</Key><Size>${body.length}</Size></Contents>`,
  );
  const head = `<Name>${name}</Name><KeyCount>${found.length}</KeyCount><IsTruncated>false</IsTruncated>`;
  return xml(`<ListBucketResult>${head}${contents.join("")}</ListBucketResult>`);
}

function xml(body: string): Answer {
  return { status: 200, body: xmlHead + body, headers: { "content-type": "application/xml" } };
}

function refusal(status: number, code: string): Answer {
  const body = `${xmlHead}<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  return { status, body, headers: { "content-type": "application/xml" } };
}

/** What was uploaded, without the frames in which the SDK sends a checksum after it. */
function contentOf(headers: Request["headers"], body: Buffer): Buffer {
  if (!String(headers["content-encoding"]).includes("aws-chunked")) return body;
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf("\r\n", at);
    const size = Number.parseInt(body.subarray(at, end).toString(), 16);
    if (!(size > 0)) break;
    parts.push(body.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(parts);
}

function metadataOf(headers: Request["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith("x-amz-meta-") ? [[name, String(value)]] : [],
    ),
  );
}

function headersOf({ body, version, metadata }: StoredObject): Record<string, string> {
  const etag = `"${createHash("md5").update(body).digest("hex")}"`;
  return { etag, "x-amz-version-id": version, ...metadata };
}
