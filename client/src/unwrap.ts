import type { ErrorBody } from "./paths.ts";

/** The platform answered the request with an error. */
export class RequestRejectedError extends Error {
  override readonly name = "RequestRejectedError";
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    const faults = body.errors?.map(({ path, message }) => `${path}: ${message}`) ?? [];
    super([`${status} ${body.code}: ${body.message} (request ${body.requestId})`, ...faults].join("\n"));
    this.status = status;
    this.body = body;
  }
}

/** @throws RequestRejectedError with the error's body */
export async function unwrap<D>(
  call: Promise<{ data?: D; error?: unknown; response: Response }>,
): Promise<D> {
  const { data, error, response } = await call;
  if (data === undefined) throw new RequestRejectedError(response.status, error as ErrorBody);
  return data;
}
