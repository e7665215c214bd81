import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { NoMessage } from "../../../functions/network/answer-message.ts";
import { type ListenerOptions, startListener } from "../../../functions/network/listener.ts";
import { decodeMessage, encodeMessage, type Message } from "../../../shared/adapters/iso8583/codec.ts";
import { NetworkClient } from "../../harness/network-client.ts";
import { unansweredDuring } from "./given-slow-platform.ts";

const echo = (trace: number): Message => ({
  mti: "0800",
  fields: { 7: "1123181500", 11: String(trace).padStart(6, "0"), 48: "x".repeat(900) },
});

/** A listener whose messages are answered when the test says so. */
async function givenListener(
  answer: (message: Message) => Promise<Message | undefined> = async (message) => message,
  limits: ListenerOptions["limits"] = {},
) {
  const refused: { reason: string; input: Uint8Array }[] = [];
  const listener = await startListener({
    host: "127.0.0.1",
    port: 0,
    handler: {
      answer: async (bytes) => {
        const found = await answer(decodeMessage(bytes));
        return found && encodeMessage(found);
      },
    },
    keepRefused: async (one) => refused.push(one),
    limits,
  });
  onTestFinished(() => listener.stop());
  const connect = async () => {
    const client = await NetworkClient.connect(listener.port);
    onTestFinished(() => client.close());
    return client;
  };
  return { ...listener, refused, connect };
}

describe("the listener", () => {
  it("puts messages together that come in pieces, and takes several at once", async () => {
    const { connect } = await givenListener();
    const client = await connect();
    const answers = [1, 2, 3].map((trace) => client.send(echo(trace)));
    expect(await Promise.all(answers)).toEqual([echo(1), echo(2), echo(3)]);
    const answer = client.send(echo(4));
    expect(await answer).toEqual(echo(4));
    const frame = client.toFrame(echo(5));
    const slow = await connect();
    const answered = slow.send(echo(6));
    for (const byte of frame.subarray(0, 20)) {
      slow.write(Uint8Array.of(byte));
      await sleep(1);
    }
    slow.write(frame.subarray(20));
    expect(await answered).toEqual(echo(6));
  });

  it("ignores empty messages, which keep a connection open", async () => {
    const { connect, refused } = await givenListener();
    const client = await connect();
    client.write(Uint8Array.of(0, 0, 0, 0));
    expect(await client.send(echo(1))).toEqual(echo(1));
    expect(refused).toEqual([]);
  });

  it("closes a connection whose bytes are no message, and keeps them", async () => {
    const { connect, refused } = await givenListener(async () => {
      throw new NoMessage("The MTI must be digits.");
    });
    const client = await connect();
    client.write(client.toFrame(echo(1)));
    await client.closed;
    expect(refused).toMatchObject([{ reason: "The MTI must be digits." }]);
  });

  it("closes a connection that announces too much, and keeps what came", async () => {
    const { connect, refused } = await givenListener();
    const client = await connect();
    client.write(Buffer.from("GET / HTTP/1.1\r\n\r\n"));
    await client.closed;
    expect(refused.map(({ input }) => Buffer.from(input).toString())).toEqual(["GET / HTTP/1.1\r\n\r\n"]);
  });

  it("answers the messages that came before what is none, and then closes", async () => {
    const gate = Promise.withResolvers<void>();
    const { connect, refused } = await givenListener(
      async (message) => {
        await gate.promise;
        return message;
      },
      { messages: 1 },
    );
    const client = await connect();
    const answers = [1, 2, 3].map((trace) => client.expect(echo(trace)));
    const frames = [1, 2, 3].map((trace) => client.toFrame(echo(trace)));
    client.write(Buffer.concat([...frames, Buffer.from("GET / HTTP/1.1\r\n\r\n")]));
    await sleep(50);
    client.write(Buffer.from("Host: example.com\r\n"));
    gate.resolve();
    expect((await Promise.all(answers)).map((bytes) => decodeMessage(bytes))).toEqual([1, 2, 3].map(echo));
    await client.closed;
    expect(refused.map(({ input }) => Buffer.from(input).toString())).toEqual(["GET / HTTP/1.1\r\n\r\n"]);
  });

  it("answers the messages beside one that is none, and then closes", async () => {
    const gate = Promise.withResolvers<void>();
    const { connect, refused } = await givenListener(async (message) => {
      if (message.fields[11] === "000002") throw new NoMessage("The MTI must be digits.");
      await gate.promise;
      return message;
    });
    const client = await connect();
    const answers = [1, 3].map((trace) => client.expect(echo(trace)));
    client.write(Buffer.concat([1, 2, 3].map((trace) => client.toFrame(echo(trace)))));
    await sleep(50);
    gate.resolve();
    expect((await Promise.all(answers)).map((bytes) => decodeMessage(bytes))).toEqual([echo(1), echo(3)]);
    await client.closed;
    expect(refused.map(({ input }) => decodeMessage(input))).toEqual([echo(2)]);
  });

  it("answers a client that sends no more, and then closes", async () => {
    const gate = Promise.withResolvers<void>();
    const { connect, refused } = await givenListener(async (message) => {
      await gate.promise;
      return message;
    });
    const client = await connect();
    const answer = client.send(echo(1));
    client.end();
    await sleep(50);
    gate.resolve();
    expect(await answer).toEqual(echo(1));
    await client.closed;
    const other = await connect();
    other.write(Uint8Array.of(0, 40, 48));
    other.end();
    await other.closed;
    expect(refused).toMatchObject([{ reason: "The rest of a message did not come." }]);
  });

  it("counts the answers that a client that has gone does not get", async () => {
    const gate = Promise.withResolvers<void>();
    const { connect } = await givenListener(
      async (message) => {
        await gate.promise;
        return message;
      },
      { messages: 2 },
    );
    const client = await connect();
    const unanswered = await unansweredDuring(async () => {
      for (const trace of [1, 2, 3]) void client.send(echo(trace));
      await sleep(50);
      client.reset();
      await sleep(50);
      gate.resolve();
      await sleep(50);
    });
    expect(unanswered).toEqual(["disconnected", "disconnected", "disconnected"]);
  });

  it("does not wait for ever for a message that comes byte by byte", async () => {
    const { connect, refused } = await givenListener(undefined, { patienceMs: 200 });
    const client = await connect();
    const isClosed = client.closed.then(() => true);
    const bytes = client.toFrame(echo(1));
    for (let sent = 0; sent < 30; sent += 1) {
      client.write(bytes.subarray(sent, sent + 1));
      if (await Promise.race([isClosed, sleep(30, false)])) break;
    }
    await client.closed;
    expect(refused).toMatchObject([{ reason: "The rest of a message did not come." }]);
    expect(refused[0]?.input.length).toBeLessThan(15);
  });

  it("does not wait for ever for the rest of a message", async () => {
    const { connect, refused } = await givenListener(undefined, { patienceMs: 100 });
    const client = await connect();
    client.write(Uint8Array.of(0, 40, 48, 56));
    await client.closed;
    expect(refused).toMatchObject([{ reason: "The rest of a message did not come." }]);
  });

  it("answers other messages while one waits, and goes on after one that failed", async () => {
    const gate = Promise.withResolvers<void>();
    const { connect } = await givenListener(async (message) => {
      if (message.fields[11] === "000001") await gate.promise;
      if (message.fields[11] === "000002") throw new Error("The platform does not answer.");
      return message;
    });
    const client = await connect();
    const first = client.send(echo(1));
    void client.send(echo(2));
    expect(await client.send(echo(3))).toEqual(echo(3));
    gate.resolve();
    expect(await first).toEqual(echo(1));
  });

  it("reads no more than it can answer", async () => {
    let running = 0;
    let most = 0;
    const { connect } = await givenListener(
      async (message) => {
        running += 1;
        most = Math.max(most, running);
        await sleep(2);
        running -= 1;
        return message;
      },
      { messages: 4 },
    );
    const client = await connect();
    const traces = Array.from({ length: 300 }, (_, index) => index);
    await Promise.all(traces.map((trace) => client.send(echo(trace))));
    expect(most).toBe(4);
  });

  it("gives up a connection that takes no answers", async () => {
    const { connect } = await givenListener(undefined, { patienceMs: 200 });
    const client = await connect();
    client.pause();
    const frames = Buffer.concat(Array.from({ length: 20_000 }, (_, trace) => client.toFrame(echo(trace))));
    client.write(frames);
    await sleep(1_500);
    client.resume();
    await client.closed;
    const other = await connect();
    expect(await other.send(echo(1))).toEqual(echo(1));
  });

  it("answers what is under way before it stops", async () => {
    const gate = Promise.withResolvers<void>();
    const { connect, stop } = await givenListener(async (message) => {
      await gate.promise;
      return message;
    });
    const client = await connect();
    const answer = client.send(echo(1));
    await sleep(20);
    const stopped = stop();
    gate.resolve();
    expect(await answer).toEqual(echo(1));
    await stopped;
  });

  it("refuses more connections than its limit", async () => {
    const { connect } = await givenListener(undefined, { connections: 1 });
    const client = await connect();
    const other = await connect();
    await other.closed;
    expect(await client.send(echo(1))).toEqual(echo(1));
  });
});
