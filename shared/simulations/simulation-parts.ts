import { deflateSync, inflateSync } from "node:zlib";
import { now, unixSeconds } from "../platform/clock.ts";
import { type BatchWrite, writeBatch } from "../platform/table/batch.ts";
import { declareKey } from "../platform/table/keys.ts";
import { readItems, toPartitionQuery } from "../platform/table/query.ts";

/** What a simulation has read or decided so far, for its next step. */
export interface Parts {
  readonly programId: string;
  readonly simulationId: string;
  readonly name: string;
}

const partKey = declareKey(
  "simulation part",
  ({ programId, simulationId, name }: Parts, first: number, number: number) => ({
    pk: `${programId}#SIMULATION#${simulationId}#${name}`,
    sk: `${String(first).padStart(8, "0")}#${String(number).padStart(6, "0")}`,
  }),
);

/** Steps follow each other at once: a simulation of a million events takes minutes. */
const keptMs = 2 * 86_400_000;
/** DynamoDB's limit is 400 KB. */
const maximumBytes = 300_000;
const valuesInPart = 4_000;

/** Replaces the parts that a repetition wrote under the same first key. */
export async function writeParts(parts: Parts, first: number, values: Iterable<unknown>): Promise<void> {
  await writeBatch(toPuts(parts, first, values));
}

function* toPuts(parts: Parts, first: number, values: Iterable<unknown>): Generator<BatchWrite> {
  const expiresAtSeconds = unixSeconds(new Date(now().getTime() + keptMs));
  let number = 0;
  for (const packed of pack(values)) {
    yield { put: { ...partKey(parts, first, number), ...{ packed, expiresAtSeconds } } };
    number += 1;
  }
}

function* pack(values: Iterable<unknown>): Generator<Uint8Array> {
  let part: unknown[] = [];
  for (const value of values) {
    if (part.push(value) < valuesInPart) continue;
    yield* packOne(part);
    part = [];
  }
  if (part.length > 0) yield* packOne(part);
}

function* packOne(values: readonly unknown[]): Generator<Uint8Array> {
  const packed = deflateSync(JSON.stringify(values));
  if (packed.length <= maximumBytes || values.length === 1) return yield packed;
  const half = Math.ceil(values.length / 2);
  yield* packOne(values.slice(0, half));
  yield* packOne(values.slice(half));
}

/** In the order in which they were written. */
export async function* readParts<T>(parts: Parts): AsyncGenerator<T> {
  for await (const { packed } of readItems(toPartitionQuery(partKey(parts, 0, 0).pk))) {
    yield* JSON.parse(inflateSync(packed as Uint8Array).toString("utf8")) as T[];
  }
}
