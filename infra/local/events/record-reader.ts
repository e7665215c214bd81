import { setImmediate } from "node:timers/promises";

/** As the engine writes it: Lambda's form, except for what `toStreamRecord` sets. */
export interface EngineRecord {
  readonly dynamodb?: {
    readonly ApproximateCreationDateTime?: number;
    readonly SequenceNumber?: string;
  };
}

export type IsWanted = (record: EngineRecord) => boolean;

/** What GetRecords answers. */
export interface EngineRecords {
  readonly Records: readonly EngineRecord[];
  readonly NextShardIterator?: string | undefined;
}

interface Answer extends EngineRecords {
  /** The last sequence number that was read; undefined if there was no record. */
  readonly last?: string | undefined;
  /** A commit marker: what was committed by then has been read. Undefined if more may be there. */
  readonly drainedAt?: number | undefined;
}

export interface RecordReader {
  /**
   * Without `isWantedByOthers`, gives what another consumer has read, less what this one does not
   * want. With it, always asks the engine: a retry after a failure gets every record again.
   */
  read(ShardIterator: string, Limit: number, isWantedByOthers?: IsWanted): Promise<Answer>;
}

/** Kept as bytes: parsed records would grow the heap, and V8 would collect more often. */
interface KeptAnswer {
  readonly body: Buffer;
  readonly recordCount: number;
  readonly drainedAt: number | undefined;
}

/** Records and answers that wait for another consumer of the stream. A record has some 1 KB. */
const mostKept = 4_000;
/** A read of hundreds held up all other calls of the engine for 20 ms, and the main thread. */
const mostAtOnce = 100;
/** An engine may answer fewer records than there are once they have a megabyte. */
const surelyWholeBytes = 2 ** 19;

/** The engine's answers to one consumer of a stream, for the other one. */
class KeptAnswers {
  readonly #answers = new Map<string, KeptAnswer>();
  #size = 0;

  /** Under its iterator, with which another consumer comes by if it has read the same before. */
  keep(iterator: string, answer: KeptAnswer): void {
    this.#remove(iterator);
    this.#answers.set(iterator, answer);
    this.#size += measureSize(answer);
    for (const oldest of this.#answers.keys()) {
      if (this.#size <= mostKept) break;
      this.#remove(oldest);
    }
  }

  /** Forgets the answer that it returns. */
  take(iterator: string, most: number): KeptAnswer | undefined {
    const answer = this.#answers.get(iterator);
    if (answer === undefined || answer.recordCount > most) return undefined;
    this.#remove(iterator);
    return answer;
  }

  #remove(iterator: string): void {
    const answer = this.#answers.get(iterator);
    this.#size -= answer ? measureSize(answer) : 0;
    this.#answers.delete(iterator);
  }
}

/** The answer itself counts, too: many have no record. */
function measureSize({ recordCount }: KeptAnswer): number {
  return recordCount + 1;
}

/** Reads what `readFile` finds in the engine's file, or calls the engine. */
export function openRecordReader(
  endpoint: string,
  region: string,
  commitMarker: () => number | undefined = () => undefined,
  readFile?: (ShardIterator: string, Limit: number) => EngineRecords,
): RecordReader {
  const call = prepareCall(endpoint, region);
  const kept = new KeptAnswers();
  const ask = async (ShardIterator: string, Limit: number, isWanted?: IsWanted): Promise<Answer> => {
    // Before the question: what is committed after it may be missing.
    const marker = commitMarker();
    const [read, isWhole] = readFile
      ? [readFile(ShardIterator, Limit), true]
      : await call(ShardIterator, Limit);
    const last = read.Records.at(-1)?.dynamodb?.SequenceNumber;
    const drainedAt = isWhole && read.Records.length < Limit ? marker : undefined;
    const answer = { ...read, last, drainedAt };
    if (last !== undefined) kept.keep(ShardIterator, toKept(answer, isWanted));
    return answer;
  };
  return {
    read: async (iterator, limit, isWanted) => {
      const known = await join(iterator, limit, async (next, most) => {
        const answer = isWanted ? undefined : kept.take(next, most);
        // Parsing a thousand in one go would block the main thread.
        if (answer !== undefined) await setImmediate();
        return answer && { ...JSON.parse(answer.body.toString()), drainedAt: answer.drainedAt };
      });
      if (known.last !== undefined) return known;
      let isFull = true;
      return join(iterator, limit, async (next, most) => {
        if (!isFull) return undefined;
        const answer = await ask(next, Math.min(most, mostAtOnce), isWanted);
        isFull = answer.Records.length >= mostAtOnce;
        return answer;
      });
    },
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

/** Answers that follow each other, as one. */
async function join(
  iterator: string,
  limit: number,
  readSome: (iterator: string, most: number) => Promise<Answer | undefined>,
): Promise<Answer> {
  const Records: EngineRecord[] = [];
  let next: string | undefined = iterator;
  let last: string | undefined;
  let drainedAt: number | undefined;
  while (next !== undefined && Records.length < limit) {
    const some = await readSome(next, limit - Records.length);
    if (some === undefined) break;
    Records.push(...some.Records);
    next = some.NextShardIterator;
    last = some.last ?? last;
    drainedAt = some.drainedAt;
  }
  return { Records, NextShardIterator: next, last, drainedAt };
}

function toKept({ drainedAt, ...rest }: Answer, isWanted: IsWanted = () => true): KeptAnswer {
  const Records = rest.Records.filter(isWanted);
  const body = Buffer.from(JSON.stringify({ ...rest, Records }));
  return { body, recordCount: Records.length, drainedAt };
}
