/** No message of a network is longer. The first bytes of a text say more than that. */
export const longestMessage = 8_192;

/** Messages that begin with their length in two bytes, the higher first. */
export class Frames {
  #waiting = Buffer.alloc(0);

  /** Whether a part of a message has come. */
  get isWithin(): boolean {
    return this.#waiting.length > 0;
  }

  /** What was received and is not a whole message yet. */
  get waiting(): Uint8Array {
    return this.#waiting;
  }

  /**
   * The messages that end with these bytes. Networks keep a connection open with empty ones.
   * @throws TooLong
   */
  read(received: Uint8Array): Uint8Array[] {
    this.#waiting = Buffer.concat([this.#waiting, received]);
    const messages: Uint8Array[] = [];
    while (this.#waiting.length >= 2) {
      const length = this.#waiting.readUInt16BE(0);
      if (length > longestMessage) throw new TooLong(`A message of ${length} bytes is announced.`);
      if (this.#waiting.length < 2 + length) break;
      if (length > 0) messages.push(this.#waiting.subarray(2, 2 + length));
      this.#waiting = this.#waiting.subarray(2 + length);
    }
    return messages;
  }
}

export class TooLong extends Error {}

export function toFrame(message: Uint8Array): Uint8Array {
  const frame = Buffer.alloc(2 + message.length);
  frame.writeUInt16BE(message.length, 0);
  frame.set(message, 2);
  return frame;
}
