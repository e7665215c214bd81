import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectSecurely } from "node:tls";
import { encodeMessage, type Message } from "../../shared/adapters/iso8583/codec.ts";
import { type DialectName, dialects } from "../../shared/adapters/iso8583/dialects.ts";
import { decodeMessage } from "./decode-message.ts";

/** A card network's side of a connection. DE7, DE11 and DE37 identify an answer. */
export class NetworkClient {
  readonly #socket: Socket;
  readonly #dialect: DialectName;
  readonly #waiting = new Map<string, ((answer: Uint8Array) => void)[]>();
  #received = Buffer.alloc(0);
  /** Answers to nothing that was sent, or more than one to the same. */
  unexpected = 0;

  private constructor(socket: Socket, dialect: DialectName) {
    this.#socket = socket;
    this.#dialect = dialect;
    socket.on("data", (bytes) => this.#receive(bytes));
    socket.on("error", () => socket.destroy());
  }

  /** With `tls`, over mutual TLS. */
  static async connect(
    port: number,
    dialect: DialectName = "default",
    tls?: ConnectionOptions,
  ): Promise<NetworkClient> {
    const socket = tls
      ? connectSecurely({ host: "127.0.0.1", port, servername: "localhost", ...tls })
      : connect(port, "127.0.0.1");
    await once(socket, tls ? "secureConnect" : "connect");
    return new NetworkClient(socket, dialect);
  }

  /** Also by a reset, which `once` would reject. */
  get closed(): Promise<unknown> {
    const { closed } = this.#socket;
    return closed ? Promise.resolve() : new Promise((resolve) => this.#socket.once("close", resolve));
  }

  async send(message: Message): Promise<Message> {
    return decodeMessage(await this.sendBytes(message), dialects[this.#dialect]);
  }

  /** Resolves to the answer's bytes. */
  sendBytes(message: Message): Promise<Uint8Array> {
    const answer = this.expect(message);
    this.write(this.toFrame(message));
    return answer;
  }

  /** Resolves to the answer's bytes of a message that is sent apart. */
  expect(message: Message): Promise<Uint8Array> {
    return new Promise<Uint8Array>((resolve) => {
      const key = keyOf(message);
      this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), resolve]);
    });
  }

  toFrame(message: Message): Uint8Array {
    const bytes = encodeMessage(message, dialects[this.#dialect]);
    return Buffer.concat([Uint8Array.of(bytes.length >> 8, bytes.length & 255), bytes]);
  }

  write(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Sends no more, and still reads. */
  end(): void {
    this.#socket.end();
  }

  reset(): void {
    this.#socket.resetAndDestroy();
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Uint8Array): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    while (this.#received.length >= 2 && this.#received.length >= 2 + this.#received.readUInt16BE()) {
      const end = 2 + this.#received.readUInt16BE();
      const answer = Buffer.from(this.#received.subarray(2, end));
      this.#received = this.#received.subarray(end);
      const key = keyOf(decodeMessage(answer, dialects[this.#dialect]));
      const [resolve, ...others] = this.#waiting.get(key) ?? [];
      this.#waiting.set(key, others);
      if (resolve) resolve(answer);
      else this.unexpected += 1;
    }
  }
}

function keyOf({ fields }: Message): string {
  return [fields[7], fields[11], fields[37]].join();
}
