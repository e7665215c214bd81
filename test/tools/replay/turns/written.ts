import { createHash } from "node:crypto";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { type EngineRecord, openRecordReader } from "../../../../infra/local/events/record-reader.ts";
import { type Checkpoint, StreamPosition } from "../../../../infra/local/events/stream-source.ts";
import { localIdentity } from "../../../../infra/local/provision.ts";
import type { Assembly } from "../../../../infra/local/template.ts";
import { unpackItem } from "../../../../shared/platform/table/packed.ts";

/** A record that a turn wrote or deleted. */
export interface Write {
  table: string;
  /** Such as `PROGRAM#… CARD#…`. */
  key: string;
  /** Undefined if it was deleted. */
  item: Record<string, unknown> | undefined;
  /** Short, of the table, the key and all attributes. */
  digest: string;
}

const digestLength = 6;
const largestRead = 1_000;

/** All writes of the tables, from their streams. */
export class WrittenRecords {
  readonly #tables: { name: string; position: StreamPosition }[];
  readonly #close: () => Promise<void>;

  readonly #commitMarker: () => number | undefined;
  #takenAt: number | undefined;

  constructor(
    assembly: Assembly,
    { endpoint, commitMarker }: { endpoint: string; commitMarker(): number | undefined },
  ) {
    this.#commitMarker = commitMarker;
    const client = new DynamoDBStreamsClient({ ...localIdentity, region: assembly.region, endpoint });
    const readRecords = openRecordReader(endpoint, assembly.region);
    // What a table without a stream keeps is compared at the end, as a whole.
    const followed = assembly
      .ofType("AWS::DynamoDB::GlobalTable")
      .filter(({ properties }) => properties.StreamSpecification !== undefined);
    this.#tables = followed.map(({ physicalName: name }) => ({
      name,
      position: new StreamPosition({ client, readRecords, checkpoint: keptInMemory() }),
    }));
    this.#close = async () => client.destroy();
  }

  async open(): Promise<void> {
    for (const { name, position } of this.#tables) await position.open(name);
  }

  /** Since the last call, table by table. */
  async take(): Promise<Write[]> {
    const writes: Write[] = [];
    const marker = this.#commitMarker();
    if (marker !== undefined && marker === this.#takenAt) return writes;
    this.#takenAt = marker;
    for (const { name, position } of this.#tables) {
      for (let found = 1; found > 0; ) {
        found = 0;
        for await (const { records } of position.read(largestRead)) {
          found += records.length;
          writes.push(...records.map((record) => toWrite(name, record)));
        }
      }
    }
    return writes;
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** A run starts with an empty store. */
function keptInMemory() {
  return { read: (initial: Checkpoint) => initial, write: () => {} };
}

function toWrite(table: string, { dynamodb }: EngineRecord): Write {
  const { Keys = {}, NewImage } = Object(dynamodb);
  const key = describeKey(Keys);
  const item = NewImage && toWhole(NewImage);
  const content = `${table}\n${key}\n${item === undefined ? "" : canonicalText(item)}`;
  return { table, key, item, digest: shortDigest(content) };
}

/** As it was written, where it is packed: another zlib would pack it in other bytes. */
export function toWhole(item: Record<string, AttributeValue>): Record<string, AttributeValue> {
  return item.z1 === undefined ? item : marshall(unpackItem(unmarshall(item)));
}

/** 36 bits. */
function shortDigest(content: string): string {
  return createHash("sha256").update(content).digest("base64url").slice(0, digestLength);
}

export function splitDigests(text: string): string[] {
  return text.match(new RegExp(`.{${digestLength}}`, "g")) ?? [];
}

export function describeKey(key: Record<string, unknown>): string {
  return Object.keys(key)
    .toSorted()
    .map((name) => Object.values(Object(key[name])).join(""))
    .join(" ");
}

/** The same bytes for the same item: attributes in order, and sets, whose order means nothing. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => {
      const isSet = ["SS", "NS", "BS"].includes(name) && Array.isArray(member);
      return `${JSON.stringify(name)}:${canonicalText(isSet ? member.toSorted() : member)}`;
    });
  return `{${members.join(",")}}`;
}
