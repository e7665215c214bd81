import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type EngineRecord, openRecordReader, type RecordReader } from "../events/record-reader.ts";

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
/** What the second consumer wants. */
const isSecond = ({ dynamodb }: EngineRecord) => dynamodb?.SequenceNumber === "1";
const asked: string[] = [];
let length = 0;
let filler = "";
let marker = 0;
let reader: RecordReader;

const read = async (iterator: number, limit: number): Promise<string> => {
  const { Records, NextShardIterator } = await reader.read(String(iterator), limit);
  return `${Records.map(({ dynamodb }) => dynamodb?.SequenceNumber).join(" ")} -> ${NextShardIterator}`;
};

describe("the reader of a stream with two consumers", () => {
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

  it("has for the second consumer what the first one has read, in one answer", async () => {
    expect(await read(0, 2)).toBe("0 1 -> 2");
    expect(await read(2, 2)).toBe("2 3 -> 4");
    expect(await read(4, 2)).toBe("4 -> 5");
    expect(await read(0, 100)).toBe("0 1 2 3 4 -> 5");
    expect(asked).toEqual(["0", "2", "4"]);
    length = 6;
    expect(await read(5, 100)).toBe("5 -> 6");
    expect(await read(5, 2)).toBe("5 -> 6");
    expect(asked).toEqual(["0", "2", "4", "5"]);
  });

  it("has only what the second consumer wants, and the position after everything", async () => {
    for (const start of [0, 2, 4]) await reader.read(String(start), 2, isSecond);
    expect(await reader.read("0", 100)).toMatchObject({
      Records: [recordOf(1)],
      NextShardIterator: "5",
      last: "4",
    });
    length = 6;
    await reader.read("5", 2, isSecond);
    expect(await reader.read("5", 100)).toMatchObject({ Records: [], NextShardIterator: "6", last: "5" });
    expect(asked).toEqual(["0", "2", "4", "5"]);
  });

  it("has everything for the first consumer when it reads again after a failure", async () => {
    const first = await reader.read("0", 2, isSecond);
    expect(first.Records).toEqual([recordOf(0), recordOf(1)]);
    expect((await reader.read("0", 2, isSecond)).Records).toEqual(first.Records);
  });

  it("never answers more than the limit", async () => {
    for (const start of [0, 2, 4]) await read(start, 2);
    expect(await read(0, 3)).toBe("0 1 -> 2");
    expect(await read(2, 3)).toBe("2 3 4 -> 5");
    await read(0, 5);
    expect(await read(0, 3)).toBe("0 1 2 -> 3");
  });

  it("asks the engine for a hundred at a time, so that other calls come between", async () => {
    length = 250;
    expect(await read(0, 1_000)).toMatch(/^0 1 .* 249 -> 250$/);
    expect(asked).toEqual(["0", "100", "200"]);
    expect(await read(0, 120)).toMatch(/^0 1 .* 99 -> 100$/);
    expect(await read(100, 1_000)).toMatch(/^100 101 .* 249 -> 250$/);
    expect(asked).toHaveLength(3);
  });

  it("asks the engine for what it does not have any more", async () => {
    length = 5_000;
    for (let start = 0; start < length; start += 1_000) await read(start, 1_000);
    asked.splice(0);
    await read(0, 1_000);
    expect(asked).toHaveLength(10);
    await read(4_000, 1_000);
    expect(asked).toHaveLength(10);
    await read(4_000, 1_000);
    expect(asked).toHaveLength(20);
  });

  it("says until which commit nothing is left, in an answer that is not full", async () => {
    expect((await reader.read("0", 5, isSecond)).drainedAt).toBeUndefined();
    expect((await reader.read("0", 6, isSecond)).drainedAt).toBe(1);
    // Another consumer has what was read then, and knows no more.
    expect(await reader.read("0", 6)).toMatchObject({ Records: [recordOf(1)], drainedAt: 1 });
    expect(asked).toEqual(["0", "0"]);
    filler = "x".repeat(2 ** 19);
    expect((await reader.read("0", 6, isSecond)).drainedAt).toBeUndefined();
  });

  it("sees new records after an empty answer", async () => {
    expect(await read(5, 100)).toBe(" -> 5");
    length = 6;
    expect(await read(5, 100)).toBe("5 -> 6");
  });
});
