import { once } from "node:events";
import { connect as connectSocket, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { echo, givenGate, givenListener } from "./given-listener.ts";

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
    const frames = Buffer.concat(Array.from({ length: 2_000 }, (_, trace) => client.toFrame(echo(trace))));
    // The kernel keeps megabytes of answers: only after them does the listener have to wait.
    const sending = setInterval(() => client.write(frames), 20);
    await client.closed.finally(() => clearInterval(sending));
    const other = await connect();
    expect(await other.send(echo(1))).toEqual(echo(1));
  });

  it("answers what is under way before it stops", async () => {
    const { connect, stop, open } = await givenGate();
    const client = await connect();
    const answer = client.send(echo(1));
    await sleep(20);
    const stopped = stop();
    open();
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

  it("holds neither a timer nor bytes of a message for an idle connection", async () => {
    const { connect, port } = await givenListener(undefined, { connections: 200 });
    const client = await connect();
    const message = echo(1);
    const frame = client.toFrame({ ...message, fields: { ...message.fields, 60: "x".repeat(999) } });
    const timed = vi.spyOn(Socket.prototype, "setTimeout");
    onTestFinished(() => timed.mockRestore());
    const before = await heldBytes();
    for (let count = 0; count < connectionsInTest; count += 1) {
      const socket = connectSocket(port, "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      socket.write(frame);
      await once(socket, "data");
    }
    const held = (await heldBytes()) - before;
    const sockets = new Set(timed.mock.contexts as Socket[]);
    expect(sockets.size).toBe(connectionsInTest);
    expect([...sockets].filter(({ timeout }) => timeout !== 0)).toEqual([]);
    expect(held / connectionsInTest).toBeLessThan(frame.length / 4);
  });
});

const connectionsInTest = 150;

/** By buffers that something still refers to. */
async function heldBytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  // What a turn of the loop lets go of can be collected in the next one.
  for (let time = 0; time < 3; time += 1) {
    collect();
    await sleep(20);
  }
  return process.memoryUsage().arrayBuffers;
}
