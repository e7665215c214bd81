import { setImmediate } from "node:timers/promises";
import { Pool } from "undici";

/** As the engine writes it: Lambda's form, except for what `toStreamRecord` sets. */
export interface EngineRecord {
  readonly dynamodb?: {
    readonly ApproximateCreationDateTime?: number;
    readonly SequenceNumber?: string;
  };
}

interface Answer {
  readonly Records: readonly EngineRecord[];
  readonly NextShardIterator?: string | undefined;
}

export interface RecordReader {
  read(ShardIterator: string, Limit: number): Promise<Answer>;
  close(): Promise<void>;
}

/** Kept as bytes: parsed records would grow the heap, and V8 would collect more often. */
interface KeptAnswer {
  readonly body: Buffer;
  readonly recordCount: number;
}

/** Records that another consumer of the stream may read soon. */
const mostKept = 2_000;
/** A read of hundreds held up all other calls of the engine for 20 ms, and the main thread. */
const mostAtOnce = 100;

/** The engine's answers to one consumer of a stream, for the other one. */
class KeptAnswers {
  readonly #answers = new Map<string, KeptAnswer>();
  #size = 0;

  /** Under its iterator, with which another consumer comes by if it has read the same before. */
  keep(iterator: string, answer: KeptAnswer): void {
    if (answer.recordCount === 0) return;
    this.#remove(iterator);
    this.#answers.set(iterator, answer);
    this.#size += answer.recordCount;
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
    this.#size -= this.#answers.get(iterator)?.recordCount ?? 0;
    this.#answers.delete(iterator);
  }
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
  const ask = async (ShardIterator: string, Limit: number): Promise<Answer> => {
    const input = JSON.stringify({ ShardIterator, Limit });
    const answered = await pool.request({ method: "POST", path: "/", headers, body: input });
    const body = Buffer.from(await answered.body.arrayBuffer());
    if (answered.statusCode !== 200)
      throw new Error(`GetRecords answered ${answered.statusCode}: ${body.toString()}`);
    const answer = parse(body);
    kept.keep(ShardIterator, { body, recordCount: answer.Records.length });
    return answer;
  };
  return {
    read: async (iterator, limit) => {
      const known = await join(iterator, limit, async (next, most) => {
        const body = kept.take(next, most);
        // Parsing a thousand in one go would block the main thread.
        if (body !== undefined) await setImmediate();
        return body && parse(body);
      });
      if (known.Records.length > 0) return known;
      let isFull = true;
      return join(iterator, limit, async (next, most) => {
        if (!isFull) return undefined;
        const answer = await ask(next, Math.min(most, mostAtOnce));
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
  while (next !== undefined && Records.length < limit) {
    const some = await readSome(next, limit - Records.length);
    if (some === undefined) break;
    Records.push(...some.Records);
    next = some.NextShardIterator;
  }
  return { Records, NextShardIterator: next };
}

function parse(body: Buffer): Answer {
  const { Records = [], NextShardIterator }: Partial<Answer> = JSON.parse(body.toString());
  return { Records, NextShardIterator };
}
