import type { DatabaseSync } from "node:sqlite";
import type { EngineRecords } from "../events/record-reader.ts";

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

const query = `
  SELECT event_name AS name, keys_json AS keys, old_image AS before, new_image AS after,
    _stream_records.created_at AS seconds, sequence_number AS number, user_identity AS identity, stream_view_type AS view
  FROM _stream_records JOIN _tables USING (table_name)
  WHERE table_name = ? AND CAST(sequence_number AS INTEGER) > ?
  ORDER BY CAST(sequence_number AS INTEGER) LIMIT ?`;

/**
 * Answers as Dynoxide's GetRecords, from its file: a call of it took both processes four times as
 * long, and no write could run beside it.
 */
export function prepareStreamReads(database: DatabaseSync) {
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
