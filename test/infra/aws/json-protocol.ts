import type { Answer } from "./emulated-aws.ts";

/** An answer of the services that speak JSON. `errorType`: as Lambda and SES name an error. */
export function json(body: object, status = 200, errorType?: string): Answer {
  const headers = {
    "content-type": "application/x-amz-json-1.1",
    ...(errorType && { "x-amzn-errortype": errorType }),
  };
  return { status, body: status === 204 ? "" : JSON.stringify(body), headers };
}

/** As the others name an error. */
export function refusal(code: string): Answer {
  return json({ __type: code, message: code }, 400);
}
