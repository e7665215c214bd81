import { setImmediate } from "node:timers/promises";
import { Pool } from "undici";

/** As the engine writes it: Lambda's form, except for what `toStreamRecord` sets. */
export interface EngineRecord {
  readonly dynamodb?: {
    readonly ApproximateCreationDateTime?: number;
    readonly SequenceNumber?: string;
  };
}

export type IsWanted = (record: EngineRecord) => boolean;

interface Answer {
  readonly Records: readonly EngineRecord[];
  readonly NextShardIterator?: string | undefined;
  /** The last sequence number that was read; undefined if there was no record. */
  readonly last?: string | undefined;
}

export interface RecordReader {
  /**
   * Without `isWantedByOthers`, gives what another consumer has read, less what this one does not
   * want. With it, always asks the engine: a retry after a failure gets every record again.
   */
  read(ShardIterator: string, Limit: number, isWantedByOthers?: IsWanted): Promise<Answer>;
  close(): Promise<void>;
}

/** Kept as bytes: parsed records would grow the heap, and V8 would collect more often. */
interface KeptAnswer {
  readonly body: Buffer;
  readonly recordCount: number;
}

/** Records and answers that wait for another consumer of the stream. A record has some 1 KB. */
const mostKept = 4_000;
/** A read of hundreds held up all other calls of the engine for 20 ms, and the main thread. */
const mostAtOnce = 100;

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
  take(iterator: string, most: number): Buffer | undefined {
    const answer = this.#answers.get(iterator);
    if (answer === undefined || answer.recordCount > most) return undefined;
    this.#remove(iterator);
    return answer.body;
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

/**
 * Calls GetRecords without the SDK, whose parsing of every attribute took as long as all other work
 * on a record. Local engines do not verify signatures.
 */
export function openRecordReader(endpoint: string, region: string): RecordReader {
  const pool = new Pool(endpoint);
  const headers = {
    "content-type": "application/x-amz-json-1.0",
    "x-amz-target": "DynamoDBStreams_20120810.GetRecords",
    "x-amz-date": "20260101T000000Z",
    authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/${region}/dynamodb/aws4_request, SignedHeaders=host, Signature=none`,
  };
  const kept = new KeptAnswers();
  const ask = async (ShardIterator: string, Limit: number, isWanted?: IsWanted): Promise<Answer> => {
    const input = JSON.stringify({ ShardIterator, Limit });
    const answered = await pool.request({ method: "POST", path: "/", headers, body: input });
    const body = Buffer.from(await answered.body.arrayBuffer());
    if (answered.statusCode !== 200)
      throw new Error(`GetRecords answered ${answered.statusCode}: ${body.toString()}`);
    const answer = parse(body);
    if (answer.last !== undefined) kept.keep(ShardIterator, toKept(answer, body, isWanted));
    return answer;
  };
  return {
    read: async (iterator, limit, isWanted) => {
      const known = await join(iterator, limit, async (next, most) => {
        const body = isWanted ? undefined : kept.take(next, most);
        // Parsing a thousand in one go would block the main thread.
        if (body !== undefined) await setImmediate();
        return body && parse(body);
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
    close: () => pool.destroy(),
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
  while (next !== undefined && Records.length < limit) {
    const some = await readSome(next, limit - Records.length);
    if (some === undefined) break;
    Records.push(...some.Records);
    next = some.NextShardIterator;
    last = some.last ?? last;
  }
  return { Records, NextShardIterator: next, last };
}

function toKept(answer: Answer, body: Buffer, isWanted?: IsWanted): KeptAnswer {
  if (isWanted === undefined) return { body, recordCount: answer.Records.length };
  const Records = answer.Records.filter(isWanted);
  return { body: Buffer.from(JSON.stringify({ ...answer, Records })), recordCount: Records.length };
}

function parse(body: Buffer): Answer {
  const answer: Partial<Answer> = JSON.parse(body.toString());
  const { Records = [], NextShardIterator, last = Records.at(-1)?.dynamodb?.SequenceNumber } = answer;
  return { Records, NextShardIterator, last };
}
