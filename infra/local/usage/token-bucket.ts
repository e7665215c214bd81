/** How fast a bucket fills, and how much it holds: at first it is full. */
export interface BucketRules {
  ratePerSecond: number;
  burst: number;
}

/** Counts requests as API Gateway's throttles do: each takes a token; tokens come back at a steady rate, up to the burst. */
export class TokenBucket {
  readonly #rules: BucketRules;
  #tokens: number;
  #filledAtMs: number;

  /** Times are of any clock that only goes forward. */
  constructor(rules: BucketRules, nowMs: number) {
    this.#rules = rules;
    this.#tokens = rules.burst;
    this.#filledAtMs = nowMs;
  }

  /** Takes a token, where there is a whole one. */
  take(nowMs: number): boolean {
    const { ratePerSecond, burst } = this.#rules;
    const elapsedMs = Math.max(0, nowMs - this.#filledAtMs);
    this.#tokens = Math.min(burst, this.#tokens + (elapsedMs * ratePerSecond) / 1000);
    this.#filledAtMs += elapsedMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
