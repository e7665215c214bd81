import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type { Context, SQSBatchResponse } from "aws-lambda";
import { handler } from "../../../functions/files/handler.ts";
import { type AwsParts, openAwsEndpoint } from "../../../infra/local/endpoint/aws-endpoint.ts";
import { openObjectStore } from "../../../infra/local/endpoint/object-store.ts";
import type { PutEventsEntry } from "../../../infra/local/events/event-bus.ts";
import {
  type FileKind,
  FileProgress,
  type FileReport,
  fileKeys,
} from "../../../shared/contract/file-report.ts";
import { newId } from "../../../shared/platform/id.ts";
import { type QueueRecorder, startQueueRecorder } from "../../harness/queue-recorder.ts";
import { givenTemplate } from "../../local/given-template.ts";

const bucket = "files";
const notified = { NotificationConfiguration: {} };
const template = givenTemplate(["AWS::S3::Bucket", bucket, notified]);

/** Once a process: the platform's S3 client keeps the first address that it found. */
let starting: ReturnType<typeof start> | undefined;

async function start() {
  const directory = mkdtempSync(join(tmpdir(), "fed-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const events: PutEventsEntry[] = [];
  const put = async (entry: PutEventsEntry) => {
    events.push(entry);
    return { EventId: "1" };
  };
  const aws = await openAwsEndpoint();
  aws.serve({ objects: openObjectStore(template, directory, { put }) } as AwsParts);
  Object.assign(process.env, { AWS_ENDPOINT_URL_S3: aws.endpoint, FILES_BUCKET: bucket });
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const s3 = new S3Client({ region: "eu-west-1", endpoint: aws.endpoint, credentials });
  return { directory: join(directory, bucket), events, s3 };
}

export interface GivenFiles {
  readonly queue: QueueRecorder;
  /** Puts a file, and hands its messages over until the function sends none. */
  feed(kind: FileKind, content: string): Promise<FileReport>;
  /** Puts a file. Returns its name, its version and its message. */
  put(
    kind: FileKind,
    content: string,
    name?: string,
  ): Promise<{ name: string; etag: string; message: unknown }>;
  /** One invocation. True if the message is done with. */
  handOver(message: unknown, attempt?: number): Promise<boolean>;
  /** Hands messages over until the function sends none. Returns how many. */
  handOverAll(message: unknown): Promise<number>;
  /** The notes of the file's progress, of each version. */
  progress(kind: FileKind, name: string): FileProgress[];
  /** Of a version, or of the one that was read to its end last. */
  report(kind: FileKind, name: string, etag?: string): FileReport;
  isThere(key: string): boolean;
  /** As if the function had been killed before it wrote it. */
  removeReport(kind: FileKind, name: string, etag: string): void;
}

export async function givenFiles(): Promise<GivenFiles> {
  starting ??= start();
  const { directory, events, s3 } = await starting;
  const queue = await startQueueRecorder();
  const put: GivenFiles["put"] = async (kind, content, name = newId("event")) => {
    const key = `in/${kind}/${name}`;
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: content }));
    // Another file may be put meanwhile.
    const announced = events.map(({ DetailType, Detail = "" }) => ({
      DetailType,
      detail: JSON.parse(Detail),
    }));
    const { DetailType, detail } = announced.findLast((one) => one.detail.object.key === key) ?? {};
    return { name, etag: detail.object.etag, message: { "detail-type": DetailType, detail } };
  };
  const report: GivenFiles["report"] = (kind, name, etag) =>
    JSON.parse(readFileSync(join(directory, fileKeys.report(kind, name, etag)), "utf8"));
  const handOverAll: GivenFiles["handOverAll"] = async (message) => {
    let count = 0;
    for (let next: unknown = message; next !== undefined; next = queue.take("files")[0]?.body) {
      if (!(await handOver(next))) throw new Error("The message failed.");
      count += 1;
    }
    return count;
  };
  return {
    queue,
    put,
    handOver,
    report,
    isThere: (key) => existsSync(join(directory, key)),
    removeReport: (kind, name, etag) => rmSync(join(directory, fileKeys.report(kind, name, etag))),
    handOverAll,
    progress: (kind, name) => {
      const folder = join(directory, "progress", kind);
      const found = existsSync(folder) ? readdirSync(folder).filter((one) => one.startsWith(name)) : [];
      return found.map((one) => FileProgress.parse(JSON.parse(readFileSync(join(folder, one), "utf8"))));
    },
    feed: async (kind, content) => {
      const { name, message } = await put(kind, content);
      await handOverAll(message);
      return report(kind, name);
    },
  };
}

const context = { getRemainingTimeInMillis: () => 20_000 } as Context;

async function handOver(message: unknown, attempt = 1): Promise<boolean> {
  const attributes = { ApproximateReceiveCount: String(attempt) };
  const record = { messageId: "1", body: JSON.stringify(message), attributes };
  const invoke = handler as (event: unknown, context: Context) => Promise<SQSBatchResponse>;
  const { batchItemFailures } = await invoke({ Records: [record] }, context);
  return batchItemFailures.length === 0;
}
