import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRecordReader, type ReadRecords } from "../events/record-reader.ts";

/** A stream of numbered records. Its iterators are positions. */
const server = createServer(async (request, response) => {
  const { ShardIterator, Limit } = JSON.parse(String(await request.toArray()));
  asked.push(ShardIterator);
  const start = Number(ShardIterator);
  const end = Math.min(start + Limit, length);
  const Records = Array.from({ length: end - start }, (_, index) => recordOf(start + index));
  // A commit beside the answer.
  marker += 1;
  response.end(JSON.stringify({ Records, NextShardIterator: String(end), filler }));
});
const recordOf = (position: number) => ({ dynamodb: { SequenceNumber: String(position) } });
const asked: string[] = [];
let length = 0;
let filler = "";
let marker = 0;
let reader: ReadRecords;

const read = async (iterator: number, limit: number): Promise<string> => {
  const { Records, NextShardIterator } = await reader(String(iterator), limit);
  return `${Records.map(({ dynamodb }) => dynamodb?.SequenceNumber).join(" ")} -> ${NextShardIterator}`;
};

describe("the reader of a stream", () => {
  beforeEach(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    reader = openRecordReader(endpoint, "eu-west-1", () => marker);
    asked.splice(0);
    length = 5;
    filler = "";
    marker = 0;
  });
  afterEach(async () => {
    server.close();
    await once(server, "close");
  });

  it("never answers more than the limit", async () => {
    expect(await read(0, 2)).toBe("0 1 -> 2");
    expect(await read(2, 100)).toBe("2 3 4 -> 5");
  });

  it("asks the engine for a hundred at a time, so that other calls come between", async () => {
    length = 250;
    expect(await read(0, 1_000)).toMatch(/^0 1 .* 249 -> 250$/);
    expect(asked).toEqual(["0", "100", "200"]);
    asked.splice(0);
    expect(await read(0, 120)).toMatch(/^0 1 .* 119 -> 120$/);
    expect(asked).toEqual(["0", "100"]);
  });

  it("says until which commit nothing is left, in an answer that is not full", async () => {
    expect((await reader("0", 5)).drainedAt).toBeUndefined();
    expect((await reader("0", 6)).drainedAt).toBe(1);
    filler = "x".repeat(2 ** 19);
    expect((await reader("0", 6)).drainedAt).toBeUndefined();
  });

  it("sees new records after an empty answer", async () => {
    expect(await read(5, 100)).toBe(" -> 5");
    length = 6;
    expect(await read(5, 100)).toBe("5 -> 6");
  });
});
