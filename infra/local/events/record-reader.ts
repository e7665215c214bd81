import { setImmediate } from "node:timers/promises";

/** As the engine writes it: Lambda's form, except for what `toStreamRecord` sets. */
export interface EngineRecord {
  readonly dynamodb?: {
    readonly ApproximateCreationDateTime?: number;
    readonly SequenceNumber?: string;
  };
}

/** What GetRecords answers. */
export interface EngineRecords {
  readonly Records: readonly EngineRecord[];
  readonly NextShardIterator?: string | undefined;
}

interface Answer extends EngineRecords {
  /** A commit marker: what was committed by then has been read. Undefined if more may be there. */
  readonly drainedAt: number | undefined;
}

export type ReadRecords = (iterator: string, limit: number) => Promise<Answer>;

/** A read of hundreds held up all other calls of the engine for 20 ms, and the main thread. */
const mostAtOnce = 100;
/** An engine may answer fewer records than there are once they have a megabyte. */
const surelyWholeBytes = 2 ** 19;

/** Reads what `readFile` finds in the engine's file, or calls the engine. */
export function openRecordReader(
  endpoint: string,
  region: string,
  commitMarker: () => number | undefined = () => undefined,
  readFile?: (ShardIterator: string, Limit: number) => EngineRecords,
): ReadRecords {
  const call = prepareCall(endpoint, region);
  return async (iterator, limit) => {
    const Records: EngineRecord[] = [];
    let next: string | undefined = iterator;
    for (;;) {
      const most = Math.min(limit - Records.length, mostAtOnce);
      // Before the question: what is committed after it may be missing.
      const marker = commitMarker();
      const [read, isWhole]: [EngineRecords, boolean] = readFile
        ? [readFile(next, most), true]
        : await call(next, most);
      Records.push(...read.Records);
      next = read.NextShardIterator;
      const isFull = read.Records.length >= mostAtOnce;
      if (isFull && next !== undefined && Records.length < limit) {
        // Parsing a thousand in one go would block the main thread.
        await setImmediate();
        continue;
      }
      const drainedAt = isWhole && read.Records.length < most ? marker : undefined;
      return { Records, NextShardIterator: next, drainedAt };
    }
  };
}

/**
 * Calls GetRecords without the SDK, whose parsing of every attribute took as long as all other work
 * on a record. Local engines do not verify signatures. Whether the answer may be cut is beside it.
 */
function prepareCall(endpoint: string, region: string) {
  const headers = {
    "content-type": "application/x-amz-json-1.0",
    "x-amz-target": "DynamoDBStreams_20120810.GetRecords",
    "x-amz-date": "20260101T000000Z",
    authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/${region}/dynamodb/aws4_request, SignedHeaders=host, Signature=none`,
  };
  return async (ShardIterator: string, Limit: number): Promise<[EngineRecords, boolean]> => {
    const input = JSON.stringify({ ShardIterator, Limit });
    const answered = await fetch(endpoint, { method: "POST", headers, body: input });
    const body = await answered.text();
    if (!answered.ok) throw new Error(`GetRecords answered ${answered.status}: ${body}`);
    const { Records = [], NextShardIterator }: Partial<EngineRecords> = JSON.parse(body);
    return [{ Records, NextShardIterator }, body.length < surelyWholeBytes];
  };
}
