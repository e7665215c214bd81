import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeWholeFile } from "../files.ts";
import { fault, type ObjectAnswer, type ObjectCall, toEtag } from "./object-answer.ts";

type PutWhole = (body: Buffer) => Promise<ObjectAnswer>;

/** Uploads of an object in parts: begin, put a part, complete. Undefined for other calls. */
export async function answerUpload(
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
