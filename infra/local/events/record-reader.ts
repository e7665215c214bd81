import { Pool } from "undici";

/** As the engine writes it: Lambda's form, except for what `toStreamRecord` sets. */
export interface EngineRecord {
  readonly dynamodb?: {
    readonly ApproximateCreationDateTime?: number;
    readonly SequenceNumber?: string;
  };
}

interface Answer {
  readonly Records?: readonly EngineRecord[];
  readonly NextShardIterator?: string;
}

export interface RecordReader {
  read(
    ShardIterator: string,
    Limit: number,
  ): Promise<{ readonly Records: readonly EngineRecord[]; readonly NextShardIterator?: string | undefined }>;
  close(): Promise<void>;
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
  return {
    read: async (ShardIterator, Limit) => {
      const input = JSON.stringify({ ShardIterator, Limit });
      const { statusCode, body } = await pool.request({ method: "POST", path: "/", headers, body: input });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`GetRecords answered ${statusCode}: ${text}`);
      const { Records = [], NextShardIterator }: Answer = JSON.parse(text);
      return { Records, NextShardIterator };
    },
    close: () => pool.destroy(),
  };
}
