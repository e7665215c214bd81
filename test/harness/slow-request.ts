import { vi } from "vitest";
import { injectFaults } from "./faults.ts";

const now = performance.now.bind(performance);

/** The request, each of whose queries takes so long by the clock that limits work. */
export async function inSlowRequest<T>(queryMs: number, request: () => Promise<T>): Promise<T> {
  let jumpedMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + jumpedMs);
  try {
    using _ = injectFaults(({ command }) => {
      if (command === "Query") jumpedMs += queryMs;
      return undefined;
    });
    return await request();
  } finally {
    clock.mockRestore();
  }
}
