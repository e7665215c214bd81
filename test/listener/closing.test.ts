import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { NoMessage } from "../../infra/listener/answer-message.ts";
import { decodeMessage } from "../harness/decode-message.ts";
import { echo, givenGate, givenListener } from "./given-listener.ts";
import { unansweredDuring } from "./given-slow-platform.ts";

describe("a connection", () => {
  it("is closed if its bytes are no message, and they are kept", async () => {
    const { connect, refused } = await givenListener(async () => {
      throw new NoMessage("The MTI must be digits.");
    });
    const client = await connect();
    client.write(client.toFrame(echo(1)));
    await client.closed;
    expect(refused).toMatchObject([{ reason: "The MTI must be digits." }]);
  });

  it("is closed if it announces too much, and what came is kept", async () => {
    const { connect, refused } = await givenListener();
    const client = await connect();
    client.write(Buffer.from("GET / HTTP/1.1\r\n\r\n"));
    await client.closed;
    expect(refused.map(({ input }) => Buffer.from(input).toString())).toEqual(["GET / HTTP/1.1\r\n\r\n"]);
  });

  it("answers the messages that came before what is none, and then closes", async () => {
    const { connect, refused, open } = await givenGate({ messages: 1 });
    const client = await connect();
    const answers = [1, 2, 3].map((trace) => client.expect(echo(trace)));
    const frames = [1, 2, 3].map((trace) => client.toFrame(echo(trace)));
    client.write(Buffer.concat([...frames, Buffer.from("GET / HTTP/1.1\r\n\r\n")]));
    await sleep(50);
    client.write(Buffer.from("Host: example.com\r\n"));
    open();
    expect((await Promise.all(answers)).map((bytes) => decodeMessage(bytes))).toEqual([1, 2, 3].map(echo));
    await client.closed;
    expect(refused.map(({ input }) => Buffer.from(input).toString())).toEqual(["GET / HTTP/1.1\r\n\r\n"]);
  });

  it("answers the messages beside one that is none, and then closes", async () => {
    const { connect, refused, open } = await givenGate({}, ({ fields }) => {
      if (fields[11] === "000002") throw new NoMessage("The MTI must be digits.");
    });
    const client = await connect();
    const answers = [1, 3].map((trace) => client.expect(echo(trace)));
    client.write(Buffer.concat([1, 2, 3].map((trace) => client.toFrame(echo(trace)))));
    await sleep(50);
    open();
    expect((await Promise.all(answers)).map((bytes) => decodeMessage(bytes))).toEqual([echo(1), echo(3)]);
    await client.closed;
    expect(refused.map(({ input }) => decodeMessage(input))).toEqual([echo(2)]);
  });

  it("answers a client that sends no more, and then closes", async () => {
    const { connect, refused, open } = await givenGate();
    const client = await connect();
    const answer = client.send(echo(1));
    client.end();
    await sleep(50);
    open();
    expect(await answer).toEqual(echo(1));
    await client.closed;
    const other = await connect();
    other.write(Uint8Array.of(0, 40, 48));
    other.end();
    await other.closed;
    expect(refused).toMatchObject([{ reason: "The rest of a message did not come." }]);
  });

  it("counts the answers that a client that has gone does not get", async () => {
    const { connect, open } = await givenGate({ messages: 2 });
    const client = await connect();
    const unanswered = await unansweredDuring(async () => {
      for (const trace of [1, 2, 3]) void client.send(echo(trace));
      await sleep(50);
      client.reset();
      await sleep(50);
      open();
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
});
