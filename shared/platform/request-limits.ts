/**
 * Limits of a request to AWS, for the SDK's clients: a second to connect, and the given time until
 * the answer begins. Then the client's next attempt begins.
 */
export function requestLimits(requestTimeoutMs: number) {
  return {
    connectionTimeout: 1_000,
    requestTimeout: requestTimeoutMs,
    // Without it, the SDK warns and goes on waiting.
    throwOnRequestTimeout: true,
  } as const;
}
