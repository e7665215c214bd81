import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { monotonicMs } from "../../shared/platform/clock.ts";
import { log } from "../../shared/platform/log.ts";
import { logMeasured } from "../../shared/platform/metrics.ts";
import { withinTime } from "../../shared/platform/time-budget.ts";
import { type MessageHandler, NoMessage } from "./answer-message.ts";

export interface ConnectionOptions {
  readonly handler: Pick<MessageHandler, "answer">;
  readonly keepRefused: (refused: { reason: string; input: Uint8Array }) => Promise<unknown>;
  readonly turns: Turns;
  readonly traffic: Traffic;
  /** How long the rest of a message may take, and an answer to be taken. */
  readonly patienceMs: number;
  /** From the reading of a message: nothing of it begins later. */
  readonly usefulMs: number;
  /** How long all that has come may take to be answered before the end. */
  readonly stopMs: number;
}

interface WaitingMessage {
  readonly bytes: Uint8Array;
  readonly readMs: number;
}

/** What was sent before the end began still arrives: it is read until none has come for so long. */
const quietMs = 100;
const longestReadMs = 2_000;
/** How long the other side may take to close, once it has the answers. */
const farewellMs = 1_000;

/** A network's connection. While a message waits for its turn, no more are read. */
export class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #frames = new Frames();
  readonly #waiting: WaitingMessage[] = [];
  #running = 0;
  #isQueued = false;
  #readMs = monotonicMs();
  /** Since when the rest of a message could come. */
  #partMs = monotonicMs();
  #state: "open" | "ending" | "ended" = "open";
  #endReason: Unanswered = "disconnected";
  #end: Promise<void> | undefined;
  #kept: Promise<unknown> | undefined;
  readonly #answered = Promise.withResolvers<void>();

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 60_000);
    socket.on("data", (bytes) => this.#receive(bytes));
    // The other side has gone: no answer can reach it.
    socket.on("error", () => socket.destroy());
    socket.on("drain", () => this.#continue());
    socket.on("timeout", () => this.#timeOut());
    socket.on("end", () => this.#endWithSender());
    socket.on("close", () => this.#drop());
  }

  /** Answers what has come, as far as the time allows, and closes. */
  async end(): Promise<void> {
    const { stopMs } = this.#options;
    const beganMs = monotonicMs();
    await this.#untilQuiet(beganMs, Math.min(longestReadMs, stopMs / 2));
    const leftMs = beganMs + stopMs - monotonicMs();
    await Promise.race([this.#endOnce("stopped", leftMs), unlessOver(leftMs + farewellMs)]);
    this.#socket.destroy();
  }

  #endOnce(reason: Unanswered, withinMs = this.#options.stopMs): Promise<void> {
    this.#end ??= this.#answerAndClose(reason, withinMs);
    return this.#end;
  }

  async #answerAndClose(reason: Unanswered, withinMs: number): Promise<void> {
    this.#endReason = reason;
    this.#state = "ending";
    this.#continue();
    await Promise.race([this.#answered.promise, unlessOver(withinMs)]);
    this.#state = "ended";
    this.#drop();
    await Promise.race([this.#kept, unlessOver(farewellMs)]);
    if (this.#socket.destroyed) return;
    const closed = new Promise((resolve) => this.#socket.once("close", resolve));
    this.#socket.end();
    // Closing with unread bytes would reset the connection, and lose answers on their way.
    this.#socket.resume();
    await Promise.race([closed, unlessOver(farewellMs)]);
    this.#socket.destroy();
  }

  async #untilQuiet(beganMs: number, withinMs: number): Promise<void> {
    // Who has closed the connection, or their side of it, sends no more.
    const sendsNoMore = () => this.#socket.readableEnded || this.#socket.destroyed;
    const hasPaused = () => monotonicMs() - Math.max(beganMs, this.#readMs) >= quietMs;
    const isQuiet = () => this.#waiting.length === 0 && (sendsNoMore() || hasPaused());
    while (!isQuiet() && monotonicMs() - beganMs < withinMs) await sleep(quietMs / 5);
  }

  #receive(bytes: Buffer): void {
    const readMs = monotonicMs();
    this.#readMs = readMs;
    const isNewPart = !this.#frames.isWithin;
    const messages = this.#frames.read(bytes);
    if (isNewPart || messages.length > 0) this.#partMs = readMs;
    this.#options.traffic.count(messages.length);
    this.#waiting.push(...messages.map((message) => ({ bytes: message, readMs })));
    if (this.#state === "ended") this.#drop();
    else this.#begin();
    if (this.#frames.fault !== undefined) this.#refuse(this.#frames.fault, this.#frames.waiting);
  }

  #begin(): void {
    while (this.#waiting.length > 0 && !this.#isQueued) {
      if (this.#options.turns.take()) this.#run();
      else this.#queue();
    }
    this.#continue();
  }

  #queue(): void {
    this.#isQueued = true;
    this.#options.turns.wait(() => {
      this.#isQueued = false;
      this.#run();
      this.#begin();
    });
  }

  /** With a turn, which it gives back. */
  #run(): void {
    const message = this.#waiting.shift();
    if (!message) {
      this.#options.turns.giveBack();
      return;
    }
    this.#running += 1;
    void this.#answer(message).finally(() => {
      this.#running -= 1;
      this.#options.turns.giveBack();
      this.#continue();
    });
  }

  async #answer({ bytes, readMs }: WaitingMessage): Promise<void> {
    const leftMs = readMs + this.#options.usefulMs - monotonicMs();
    if (leftMs <= 0) return countUnanswered("late");
    try {
      const answer = await withinTime(leftMs, () => this.#options.handler.answer(bytes));
      if (answer === undefined) return;
      if (!this.#socket.writable) return countUnanswered(this.#endReason);
      this.#socket.write(toFrame(answer), (error) => error && countUnanswered(this.#endReason));
    } catch (error) {
      if (error instanceof NoMessage) {
        this.#refuse(error.message, bytes);
        return;
      }
      log.error("A message is not answered.", { error });
      countUnanswered("failed");
    }
  }

  /** Reads on, unless messages wait, answers are not taken, or the connection ends. */
  #continue(): void {
    const isAnswered = this.#running === 0 && this.#waiting.length === 0;
    if (this.#state === "ending" && isAnswered) this.#answered.resolve();
    const isFull = this.#waiting.length > 0 || this.#socket.writableNeedDrain;
    const isPaused = isFull || this.#state === "ending";
    if (isPaused) this.#socket.pause();
    else this.#socket.resume();
    if (isPaused) this.#partMs = monotonicMs();
    const { patienceMs } = this.#options;
    // Each byte begins the socket's time anew.
    if (this.#frames.isWithin)
      this.#socket.setTimeout(Math.max(1, this.#partMs + patienceMs - monotonicMs()));
    else this.#socket.setTimeout(this.#socket.writableLength > 0 ? patienceMs : 0);
  }

  /** The rest of a message, and the taking of an answer, must not last for ever. */
  #timeOut(): void {
    if (this.#state !== "open" || this.#running > 0 || this.#waiting.length > 0) return;
    if (this.#frames.isWithin) this.#refuseRest();
    else this.#socket.destroy();
  }

  /** It may still take answers. */
  #endWithSender(): void {
    if (this.#frames.isWithin) this.#refuseRest();
    else void this.#endOnce("disconnected");
  }

  #drop(): void {
    for (const _ of this.#waiting.splice(0)) countUnanswered(this.#endReason);
    if (this.#running === 0) this.#answered.resolve();
  }

  #refuseRest(): void {
    this.#refuse("The rest of a message did not come.", this.#frames.waiting);
  }

  /** Keeps the first bytes that are no message. The messages beside them are answered. */
  #refuse(reason: string, input: Uint8Array): void {
    this.#kept ??= this.#options
      .keepRefused({ reason, input: Uint8Array.from(input) })
      .catch((error: unknown) => log.error("A refused input is not kept.", { error }));
    void this.#endOnce("disconnected");
  }
}

type Unanswered = "late" | "failed" | "disconnected" | "stopped";

/** The network repeats the message, or stands in. */
function countUnanswered(reason: Unanswered): void {
  logMeasured("A message has no answer.", { reason }, () => ({ MessagesUnanswered: 1 }));
}

function unlessOver(leftMs: number): Promise<void> {
  return sleep(Math.max(0, leftMs), undefined, { ref: false });
}

/** No message of a network is longer. The first bytes of a text say more than that. */
const longestMessage = 8_192;

/** A connection that is idle holds no bytes of what it has received. */
const nothing = Buffer.alloc(0);

/** Messages that begin with their length in two bytes, the higher first. */
class Frames {
  /** Why nothing more can be read. What was received by then is `waiting`. */
  fault: string | undefined;
  #waiting: Buffer = nothing;

  /** Whether a part of a message has come. */
  get isWithin(): boolean {
    return this.#waiting.length > 0;
  }

  /** What was received and is not a whole message yet. */
  get waiting(): Uint8Array {
    return this.#waiting;
  }

  /** The messages that end with these bytes. Networks keep a connection open with empty ones. */
  read(received: Buffer): Uint8Array[] {
    const messages: Uint8Array[] = [];
    if (this.fault !== undefined) return messages;
    this.#waiting = this.isWithin ? Buffer.concat([this.#waiting, received]) : received;
    while (this.#waiting.length >= 2) {
      const length = this.#waiting.readUInt16BE(0);
      if (length > longestMessage) this.fault = `A message of ${length} bytes is announced.`;
      if (length > longestMessage || this.#waiting.length < 2 + length) break;
      if (length > 0) messages.push(this.#waiting.subarray(2, 2 + length));
      this.#waiting = this.#waiting.subarray(2 + length);
    }
    if (!this.isWithin) this.#waiting = nothing;
    return messages;
  }
}

export function toFrame(message: Uint8Array): Uint8Array {
  const frame = Buffer.allocUnsafe(2 + message.length);
  frame.writeUInt16BE(message.length, 0);
  frame.set(message, 2);
  return frame;
}

const reportMs = 60_000;

/** Counts messages, and reports them once a minute: also none, which is how silence is heard. */
export class Traffic {
  #received = 0;
  readonly #stopped = new AbortController();

  readonly #reporting: Promise<void>;

  constructor(everyMs = reportMs) {
    this.#reporting = this.#keepReporting(everyMs);
  }

  count(messages: number): void {
    this.#received += messages;
  }

  /** Once it has reported what came since the last minute. */
  stop(): Promise<void> {
    this.#stopped.abort();
    return this.#reporting;
  }

  async #keepReporting(everyMs: number): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await sleep(everyMs, undefined, { ref: false, signal }).catch(() => {});
      const received = this.#received;
      this.#received = 0;
      logMeasured("Messages of the network.", {}, () => ({ MessagesReceived: received }));
    }
  }
}

/** Limits what all connections do at once. Those that wait take turns, with one message each. */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** False if none is free. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Calls `begin` once, with the next turn. */
  wait(begin: () => void): void {
    this.#waiting.push(begin);
  }

  giveBack(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
