import type { Stats } from "node:fs";

export interface ObjectCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface ObjectAnswer {
  readonly status: number;
  readonly body?: Buffer;
  readonly headers?: Record<string, string>;
}

/** Unlike S3's, it is no digest: callers may only compare it. */
export function toEtag({ ino, size, mtimeMs }: Stats): string {
  return [ino, size, Math.round(mtimeMs * 1000)].map((part) => part.toString(16)).join("-");
}

export function fault(status: number, code: string, message: string): ObjectAnswer {
  const text = message.replace(/[<>&]/g, "");
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${text}</Message></Error>`;
  return { status, body: Buffer.from(body), headers: { "content-type": "application/xml" } };
}
