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

/** Records that another consumer of the stream may read soon. */
const mostKept = 2_000;

/**
 * Answers of the engine for a second consumer of the same stream. Its own read of hundreds of
 * records held up all other calls of the engine for 20 ms.
 */
class KeptAnswers {
  readonly #answers = new Map<string, Answer>();
  #size = 0;

  /** Under its iterator, with which another consumer comes by if it has read the same before. */
  keep(iterator: string, answer: Answer): void {
    if (answer.Records.length === 0) return;
    this.#remove(iterator);
    this.#answers.set(iterator, answer);
    this.#size += answer.Records.length;
    for (const oldest of this.#answers.keys()) {
      if (this.#size <= mostKept) break;
      this.#remove(oldest);
    }
  }

  /** Joins the answers that follow each other, and forgets them. */
  take(iterator: string, most: number): Answer | undefined {
    const Records: EngineRecord[] = [];
    let next: string | undefined = iterator;
    while (next !== undefined) {
      const answer = this.#answers.get(next);
      if (answer === undefined || Records.length + answer.Records.length > most) break;
      this.#remove(next);
      Records.push(...answer.Records);
      next = answer.NextShardIterator;
    }
    return Records.length === 0 ? undefined : { Records, NextShardIterator: next };
  }

  #remove(iterator: string): void {
    this.#size -= this.#answers.get(iterator)?.Records.length ?? 0;
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
  return {
    read: async (ShardIterator, Limit) => {
      const known = kept.take(ShardIterator, Limit);
      if (known !== undefined) return known;
      const input = JSON.stringify({ ShardIterator, Limit });
      const { statusCode, body } = await pool.request({ method: "POST", path: "/", headers, body: input });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`GetRecords answered ${statusCode}: ${text}`);
      const { Records = [], NextShardIterator }: Partial<Answer> = JSON.parse(text);
      const answer = { Records, NextShardIterator };
      kept.keep(ShardIterator, answer);
      return answer;
    },
    close: () => pool.destroy(),
  };
}
