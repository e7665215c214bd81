/** Each with the status of its answer: unreadable; unknown or not possible; not in this state. */
const codes = ["MALFORMED_BODY", "VALIDATION_FAILED", "ILLEGAL_TRANSITION"] as const;
type RefusedInputCode = (typeof codes)[number];

interface RefusalAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** An input that the platform keeps for the operator. The message says why, without its values. */
export class RefusedInputError extends Error {
  override readonly name = "RefusedInputError";
  readonly code: RefusedInputCode;
  /** The sender expects another answer than the API's error. */
  readonly answer: RefusalAnswer | undefined;

  constructor(code: RefusedInputCode, reason: string, answer?: RefusalAnswer) {
    super(reason);
    this.code = code;
    this.answer = answer;
  }
}
