import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import type { Context, SQSBatchResponse } from "aws-lambda";
import { handler } from "../../../functions/files/handler.ts";
import {
  type FileKind,
  FileProgress,
  type FileReport,
  fileKeys,
} from "../../../shared/contract/file-report.ts";
import { newId } from "../../../shared/platform/id.ts";
import { givenObjects } from "../../harness/given-objects.ts";
import { killed } from "../../harness/killed.ts";
import { type QueueRecorder, startQueueRecorder } from "../../harness/queue-recorder.ts";
import type { Random } from "../../harness/random.ts";

const bucket = "files";

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
  const objects = await givenObjects();
  const { s3, messageOf } = objects;
  const directory = join(objects.directory, bucket);
  const queue = await startQueueRecorder();
  const put: GivenFiles["put"] = async (kind, content, name = newId("event")) => {
    const key = `in/${kind}/${name}`;
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: content }));
    const message = messageOf(key);
    return { name, etag: message.detail.object.etag, message };
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

/** Feeds a bank's file, of which the function is killed at one of its writes now and then. */
export async function feedKilled(files: GivenFiles, random: Random, text: string): Promise<FileReport> {
  const { name, message } = await files.put("bank", text);
  if (random.chance(0.2)) {
    await killed(random.below(6), random.chance(0.5), () => files.handOverAll(message));
    files.queue.take("files");
  }
  await files.handOverAll(message);
  return files.report("bank", name);
}

const context = { getRemainingTimeInMillis: () => 20_000 } as Context;

async function handOver(message: unknown, attempt = 1): Promise<boolean> {
  const attributes = { ApproximateReceiveCount: String(attempt) };
  const record = { messageId: "1", body: JSON.stringify(message), attributes };
  const invoke = handler as (event: unknown, context: Context) => Promise<SQSBatchResponse>;
  const { batchItemFailures } = await invoke({ Records: [record] }, context);
  return batchItemFailures.length === 0;
}
