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

  /** @throws Error if the value is not the expected one */
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

  /**
   * The handshake fails, or the gateway itself rejects the certificate.
   * @throws Error where anything behind the gateway has answered
   */
  async turnedAway(
    what: string,
    call: Promise<{ readonly status: number; readonly body: unknown }>,
  ): Promise<void> {
    const answer = await call.catch(() => undefined);
    const isGateways =
      answer?.status === 403 && JSON.stringify(answer.body) === JSON.stringify({ message: "Forbidden" });
    if (answer !== undefined && !isGateways) {
      throw new Error(`${what}: expected to be turned away, found ${answer.status}`);
    }
    this.#passed(what);
  }

  #passed(what: string): void {
    this.#count += 1;
    this.#tell(`ok ${this.#count} - ${what}`);
  }
}
