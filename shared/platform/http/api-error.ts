import { type ErrorCode, errorCatalogue, type Fault } from "../../contract/errors.ts";

/** An error that is answered to the caller as its code and public message say. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  /** Every fault of the request; only with 400 and 422. */
  readonly faults: readonly Fault[];

  constructor(code: ErrorCode, faults: readonly Fault[] = []) {
    super(errorCatalogue[code].message);
    this.code = code;
    this.faults = faults;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}
