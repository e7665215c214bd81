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
