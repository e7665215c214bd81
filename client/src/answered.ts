import type { ErrorBody } from "./paths.ts";

/** The platform refused the request. */
export class RequestRefusedError extends Error {
  override readonly name = "RequestRefusedError";
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    const faults = body.errors?.map(({ path, message }) => `${path}: ${message}`) ?? [];
    super([`${status} ${body.code}: ${body.message} (request ${body.requestId})`, ...faults].join("\n"));
    this.status = status;
    this.body = body;
  }
}

/**
 * The body of a success.
 *
 * @throws RequestRefusedError with the error's envelope
 */
export async function answered<D>(
  call: Promise<{ data?: D; error?: unknown; response: Response }>,
): Promise<D> {
  const { data, error, response } = await call;
  if (data === undefined) throw new RequestRefusedError(response.status, error as ErrorBody);
  return data;
}
