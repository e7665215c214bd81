/** An `Idempotency-Key` as it came with a funds-moving request, scoped to Program (by its storage key) and endpoint. */
export interface IdempotencyKey {
  /** Method and path template, for example `POST /wallets/transfer`. */
  readonly endpoint: string;
  readonly key: string;
  /** SHA-256 over path parameters and validated body: the same key with another request is a mismatch. */
  readonly requestHash: string;
}
