import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import {
  FileKind,
  FileProgress,
  FileReport,
  fileAttempts,
  fileKeys,
} from "../../shared/contract/file-report.ts";
import { declareCommand, runCommand } from "../command-line/command.ts";
import { localCredentials, readConnection } from "../command-line/connection.ts";
import { CannotRun, environment, number } from "../command-line/options.ts";
import { progress } from "../command-line/print.ts";
import { readDataOutputs, readWritingSettings } from "./deployed-store.ts";
import { unlessMissing } from "./unless-missing.ts";

export const command = declareCommand({
  name: "feed",
  summary: "feeds a file of an acquirer or a bank, and prints the report on it as one line of JSON",
  takes: [
    { name: "kind", about: "what the file is", choices: FileKind.options },
    { name: "path", about: "the file" },
  ],
  options: {
    environment,
    patience: number("seconds to wait for the report", { fallback: 3_600 }),
  },
  notes: "If it does not wait long enough, the file is applied all the same.",
  failsIf:
    "the file was refused, replaced or deleted, its records do not add up to its entries, or its report did not come",
  run: async ({ words: [kind, file = ""], options: { environment, patience } }) => {
    if (!existsSync(file)) throw new CannotRun(`There is no ${file}.`);
    const bucket = await openBucket(environment);
    const report = await feed(bucket, FileKind.parse(kind), file, patience);
    console.log(JSON.stringify(report));
    if (report.addsUp === false)
      progress("The records do not add up to the entries: see docs/files.md#bank-files.");
    return (report.status === "applied" || report.status === "duplicate") && report.addsUp !== false;
  },
});

interface FilesBucket {
  readonly s3: S3Client;
  readonly name: string;
}

/** @throws CannotRun if there is none */
export async function openBucket(environment: string | undefined): Promise<FilesBucket> {
  if (environment === undefined || environment === "local") {
    const { files, store } = readConnection();
    const { endpoint, bucket } = files;
    const { region } = store;
    return { s3: new S3Client({ endpoint, region, credentials: localCredentials }), name: bucket };
  }
  const settings = await readWritingSettings(environment);
  const { FilesBucketName: name } = await readDataOutputs(settings, "FilesBucketName");
  return { s3: new S3Client({ region: settings.region }), name };
}

const pollMs = 250;

/** Waits for the report on the file. */
export async function feed(
  bucket: FilesBucket,
  kind: FileKind,
  file: string,
  patience: number,
): Promise<FileReport> {
  const name = newName(file);
  const object = { Bucket: bucket.name, Key: fileKeys.input(kind, name) };
  const { ETag = "" } = await bucket.s3.send(new PutObjectCommand({ ...object, Body: readFileSync(file) }));
  const etag = ETag.replaceAll('"', "");
  const progressKey = fileKeys.progress(kind, name, etag);
  const reportKey = fileKeys.report(kind, name, etag);
  const watch = new FileWatch(name);
  const endsAt = performance.now() + patience * 1_000;
  while (performance.now() < endsAt) {
    const report = await read(bucket, reportKey);
    if (report !== undefined) {
      progress("");
      return FileReport.parse(report);
    }
    const seen = await read(bucket, progressKey);
    if (seen !== undefined) watch.see(FileProgress.parse(seen));
    await delay(pollMs);
  }
  throw new Error(`${name} has no report after ${patience} s. It will be ${reportKey}.`);
}

/** The time, chance, and what is harmless of the file's own name. */
function newName(file: string): string {
  const time = new Date().toISOString().replace(/[-:.]/g, "");
  const own = path
    .basename(file)
    .replace(/[^A-Za-z0-9._-]/g, "_")
    .slice(-80);
  return `${time}-${randomBytes(6).toString("hex")}-${own}`;
}

/** Longer than an invocation lasts. */
const lastAttemptMs = 30_000;

/** Shows how far a file is, until it has failed. */
export class FileWatch {
  readonly #name: string;
  #lastAttemptAt: number | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** @throws CannotRun if no report will come */
  see({ done, records, verified, failure }: FileProgress): void {
    const isLast = failure !== undefined && failure.attempt >= fileAttempts;
    this.#lastAttemptAt = isLast ? (this.#lastAttemptAt ?? performance.now()) : undefined;
    const isOver = performance.now() - (this.#lastAttemptAt ?? performance.now()) > lastAttemptMs;
    if (failure && (failure.isFinal || isOver))
      throw new CannotRun(
        `${this.#name} failed ${failure.attempt} times, after ${done} of ${records} records: ${failure.reason}. ` +
          "The function's log, files, has the cause. The file's message is a dead letter of the queue files: " +
          "see docs/runbook.md#dead-letters. It goes on after a redrive, or if the file is fed again.",
      );
    const failed = failure ? `, attempt ${failure.attempt} failed: ${failure.reason}` : "";
    progress(
      verified ? `${verified.read} lines verified${failed}` : `${done} of ${records} records${failed}`,
    );
  }
}

async function read({ s3, name: Bucket }: FilesBucket, Key: string): Promise<unknown> {
  const found = await unlessMissing(s3.send(new GetObjectCommand({ Bucket, Key })), NoSuchKey);
  return found && JSON.parse((await found.Body?.transformToString()) ?? "null");
}

if (import.meta.main) await runCommand(command);
