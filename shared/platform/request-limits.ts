/**
 * How long a request to AWS may take, for the SDK's clients: connecting to it a second, its answer
 * as long as is given. Then the client's next attempt begins.
 */
export function requestLimits(requestTimeoutMs: number) {
  return {
    connectionTimeout: 1_000,
    requestTimeout: requestTimeoutMs,
    // Without it, the SDK warns and goes on waiting.
    throwOnRequestTimeout: true,
  } as const;
}
