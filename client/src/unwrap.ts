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
  if (data === undefined) throw new RequestRejectedError(response.status, toErrorBody(error, response));
  return data;
}

/** What is between client and platform, such as a proxy, answers in words of its own or none. */
function toErrorBody(error: unknown, { status, headers }: Response): ErrorBody {
  const { code } = Object(error) as Partial<ErrorBody>;
  if (code !== undefined) return error as ErrorBody;
  const text = typeof error === "string" ? error : JSON.stringify(error ?? "");
  return {
    status: "error",
    code: status < 500 ? "REQUEST_BLOCKED" : "UNAVAILABLE",
    message: `It is no answer of the platform: ${text.slice(0, 200)}`,
    requestId: headers.get("x-request-id") ?? headers.get("x-amzn-requestid") ?? "unknown",
  };
}
