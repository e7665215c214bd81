import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { S3Client } from "@aws-sdk/client-s3";
import { startObjectPort } from "../../infra/local/endpoint/object-port.ts";
import { openObjectStore } from "../../infra/local/endpoint/object-store.ts";
import type { PutEventsEntry } from "../../infra/local/events/event-bus.ts";
import { givenTemplate, REGION } from "../local/given-template.ts";

const notified = { NotificationConfiguration: {} };
const template = givenTemplate(
  ["AWS::S3::Bucket", "files", notified],
  ["AWS::S3::Bucket", "evidence", notified],
);

/** Once a process: the platform's S3 client keeps the first address that it found. */
let starting: ReturnType<typeof start> | undefined;

export type GivenObjects = Awaited<ReturnType<typeof start>>;

/** Buckets on the disk, in which every function may do everything, and S3's events. */
export function givenObjects(): Promise<GivenObjects> {
  starting ??= start();
  return starting;
}

async function start() {
  const directory = mkdtempSync(join(tmpdir(), "objects-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const events: PutEventsEntry[] = [];
  const put = async (entry: PutEventsEntry) => {
    events.push(entry);
    return { EventId: "1" };
  };
  const port = await startObjectPort({
    region: REGION,
    clock: Date,
    check: () => {},
    secretOf: () => process.env.AWS_SECRET_ACCESS_KEY,
  });
  port.serve(openObjectStore(template, directory, { put }));
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_S3: port.url,
    FILES_BUCKET: "files",
    EVIDENCE_BUCKET: "evidence",
  });
  const credentials = { accessKeyId: "local", secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY ?? "" };
  const s3 = new S3Client({ region: REGION, endpoint: port.url, credentials });
  return {
    directory,
    s3,
    isThere: (bucket: string, key: string) => existsSync(join(directory, bucket, key)),
    /** The event of an object's last version, as the queue has it. */
    messageOf: (key: string): { readonly "detail-type": string; readonly detail: ObjectDetail } => {
      // Another object may be put meanwhile.
      const announced = events.map(({ DetailType, Detail = "" }) => ({
        "detail-type": DetailType ?? "",
        detail: JSON.parse(Detail) as ObjectDetail,
      }));
      const found = announced.findLast(({ detail }) => detail.object.key === key);
      if (found === undefined) throw new Error(`${key} was not put`);
      return found;
    },
  };
}

interface ObjectDetail {
  readonly object: { readonly key: string; readonly size: number; readonly etag: string };
}
