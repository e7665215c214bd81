/** Tells of each check as it passes, and stops at the first that does not. */
export class Checks {
  readonly #tell: (line: string) => void;
  #count = 0;

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  get count(): number {
    return this.#count;
  }

  /** @throws Error where what was found is not what was expected */
  same(what: string, found: unknown, expected: unknown): void {
    const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
    if (left !== right) throw new Error(`${what}: expected ${right}, found ${left}`);
    this.#passed(what);
  }

  /** @throws Error where there is an answer */
  async noAnswer(what: string, call: Promise<{ readonly status: number }>): Promise<void> {
    const status = await call.then(
      (answer) => answer.status,
      () => undefined,
    );
    if (status !== undefined) throw new Error(`${what}: expected no HTTP answer, found ${status}`);
    this.#passed(what);
  }

  #passed(what: string): void {
    this.#count += 1;
    this.#tell(`ok ${this.#count} - ${what}`);
  }
}
