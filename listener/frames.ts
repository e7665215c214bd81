/** No message of a network is longer. The first bytes of a text say more than that. */
export const longestMessage = 8_192;

/** Messages that begin with their length in two bytes, the higher first. */
export class Frames {
  #waiting = Buffer.alloc(0);
  #fault: string | undefined;

  /** Whether a part of a message has come. */
  get isWithin(): boolean {
    return this.#waiting.length > 0;
  }

  /** What was received and is not a whole message yet. */
  get waiting(): Uint8Array {
    return this.#waiting;
  }

  /** Why nothing more can be read. What was received by then is `waiting`. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** The messages that end with these bytes. Networks keep a connection open with empty ones. */
  read(received: Uint8Array): Uint8Array[] {
    const messages: Uint8Array[] = [];
    if (this.#fault !== undefined) return messages;
    this.#waiting = Buffer.concat([this.#waiting, received]);
    while (this.#waiting.length >= 2) {
      const length = this.#waiting.readUInt16BE(0);
      if (length > longestMessage) this.#fault = `A message of ${length} bytes is announced.`;
      if (length > longestMessage || this.#waiting.length < 2 + length) break;
      if (length > 0) messages.push(this.#waiting.subarray(2, 2 + length));
      this.#waiting = this.#waiting.subarray(2 + length);
    }
    return messages;
  }
}

export function toFrame(message: Uint8Array): Uint8Array {
  const frame = Buffer.alloc(2 + message.length);
  frame.writeUInt16BE(message.length, 0);
  frame.set(message, 2);
  return frame;
}
