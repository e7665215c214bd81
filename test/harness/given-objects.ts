import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startObjectPort } from "../../infra/local/endpoint/object-port.ts";
import { openObjectStore } from "../../infra/local/endpoint/object-store.ts";
import type { PutEventsEntry } from "../../infra/local/events/event-bus.ts";
import { givenTemplate, REGION } from "../../infra/local/test/given-template.ts";

const notified = { NotificationConfiguration: {} };
const template = givenTemplate(
  ["AWS::S3::Bucket", "files", notified],
  [
    "AWS::S3::Bucket",
    "records",
    {
      ObjectLockEnabled: true,
      ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: "GOVERNANCE", Days: 2_557 } } },
    },
  ],
  ["AWS::S3::Bucket", "evidence", { ...notified, ObjectLockEnabled: true }],
);

/** Once a process: the platform's S3 client keeps the first address that it found. */
let starting: ReturnType<typeof start> | undefined;

/** Buckets on the disk, in which every function may do everything. */
export function startObjects(): Promise<Awaited<ReturnType<typeof start>>> {
  starting ??= start();
  return starting;
}

export type GivenObjects = Awaited<ReturnType<typeof givenObjects>>;

/** The buckets, with a client of their own. */
export async function givenObjects() {
  const [{ url, ...objects }, { S3Client }] = await Promise.all([
    startObjects(),
    import("@aws-sdk/client-s3"),
  ]);
  const credentials = { accessKeyId: "local", secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY ?? "" };
  return { ...objects, s3: new S3Client({ region: REGION, endpoint: url, credentials }) };
}

/** What a presigned URL has. */
export async function fetched(url: string): Promise<string> {
  const answer = await fetch(url);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer.text();
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
    // Of a test that moves it, too.
    clock: { now: () => Date.now() },
    check: () => {},
    findSecret: () => process.env.AWS_SECRET_ACCESS_KEY,
  });
  port.serve(openObjectStore(template, directory, { put }));
  return {
    url: port.url,
    directory,
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
