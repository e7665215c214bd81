import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { monotonicMs } from "../../shared/platform/clock.ts";
import { log } from "../../shared/platform/log.ts";
import { logMeasured } from "../../shared/platform/metrics.ts";
import { withinTime } from "../../shared/platform/time-budget.ts";
import { type MessageHandler, NoMessage } from "./answer-message.ts";
import { Frames, TooLong, toFrame } from "./frames.ts";
import type { Turns } from "./turns.ts";

export interface ConnectionOptions {
  readonly handler: Pick<MessageHandler, "answer">;
  readonly keepRefused: (refused: { reason: string; input: Uint8Array }) => Promise<unknown>;
  readonly turns: Turns;
  /** For the rest of a message, and for an answer to be taken. */
  readonly patienceMs: number;
  /** From the reading of a message: nothing of it begins later. */
  readonly usefulMs: number;
}

interface WaitingMessage {
  readonly bytes: Uint8Array;
  readonly readMs: number;
}

/** What was sent before the end began still arrives: it is read until none has come for so long. */
const quietMs = 100;
const longestReadMs = 2_000;
/** For the other side to close, once it has the answers. */
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
  #state: "open" | "ending" | "ended" = "open";
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
    socket.on("close", () => this.#drop("disconnected"));
  }

  /** Answers what has come, as far as the time allows, and closes. */
  async end(withinMs: number): Promise<void> {
    const beganMs = monotonicMs();
    const deadlineMs = beganMs + withinMs;
    await this.#untilQuiet(beganMs, Math.min(longestReadMs, withinMs / 2));
    this.#state = "ending";
    this.#continue();
    await Promise.race([this.#answered.promise, unlessOver(deadlineMs - monotonicMs())]);
    this.#state = "ended";
    this.#drop("stopped");
    if (this.#socket.destroyed) return;
    this.#socket.end();
    // Closing with unread bytes would reset the connection, and lose answers on their way.
    this.#socket.resume();
    await Promise.race([once(this.#socket, "close"), unlessOver(farewellMs)]);
    this.#socket.destroy();
  }

  async #untilQuiet(beganMs: number, withinMs: number): Promise<void> {
    const isQuiet = () =>
      this.#waiting.length === 0 && monotonicMs() - Math.max(beganMs, this.#readMs) >= quietMs;
    while (!isQuiet() && monotonicMs() - beganMs < withinMs) await sleep(quietMs / 5);
  }

  #receive(bytes: Uint8Array): void {
    const readMs = monotonicMs();
    this.#readMs = readMs;
    try {
      this.#waiting.push(...this.#frames.read(bytes).map((message) => ({ bytes: message, readMs })));
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      this.#refuse(error.message, this.#frames.waiting);
    }
    if (this.#state === "ended") this.#drop("stopped");
    else this.#begin();
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
      if (answer === undefined || !this.#socket.writable) return;
      this.#socket.write(toFrame(answer));
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
    if (isFull || this.#state === "ending") this.#socket.pause();
    else this.#socket.resume();
    const waits = this.#frames.isWithin || this.#socket.writableLength > 0;
    this.#socket.setTimeout(waits ? this.#options.patienceMs : 0);
  }

  /** The rest of a message, and the taking of an answer, must not last for ever. */
  #timeOut(): void {
    if (this.#running > 0 || this.#waiting.length > 0) return;
    if (this.#frames.isWithin) this.#refuse("The rest of a message did not come.", this.#frames.waiting);
    else this.#socket.destroy();
  }

  #drop(reason: Unanswered): void {
    for (const _ of this.#waiting.splice(0)) countUnanswered(reason);
    if (this.#running === 0) this.#answered.resolve();
  }

  #refuse(reason: string, input: Uint8Array): void {
    this.#socket.destroy();
    this.#options
      .keepRefused({ reason, input: Uint8Array.from(input) })
      .catch((error: unknown) => log.error("A refused input is not kept.", { error }));
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
