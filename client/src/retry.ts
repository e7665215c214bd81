import { setTimeout as pause } from "node:timers/promises";
import { idempotencyHeader } from "./idempotency-keys.ts";

export interface RetryOptions {
  /** Attempts in all. Default 4; 1 never retries. */
  readonly attempts?: number;
  /** Longest wait before the second attempt; doubles for each further one. Default 200. */
  readonly firstDelayMs?: number;
}

const repeatedStatuses = new Set([429, 500, 502, 503, 504]);

export function withRetries(
  send: (request: Request) => Promise<Response>,
  { attempts = 4, firstDelayMs = 200 }: RetryOptions,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const most = isRepeatable(request) ? attempts : 1;
    for (let attempt = 1; ; attempt += 1) {
      const last = attempt >= most;
      try {
        const response = await send(request);
        if (last || !(await isPassing(response))) return response;
        await response.body?.cancel();
      } catch (error) {
        if (last || request.signal.aborted) throw error;
      }
      await pause(Math.random() * firstDelayMs * 2 ** (attempt - 1), undefined, { signal: request.signal });
    }
  };
}

/** A 409 passes only where the first request with this key is still running. */
async function isPassing(response: Response): Promise<boolean> {
  if (response.status !== 409) return repeatedStatuses.has(response.status);
  return (await response.clone().text()).includes('"IDEMPOTENCY_IN_PROGRESS"');
}

function isRepeatable({ method, headers }: Request): boolean {
  return method === "GET" || method === "DELETE" || headers.has(idempotencyHeader);
}
