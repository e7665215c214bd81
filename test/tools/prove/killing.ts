import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "../../../infra/development/connection.ts";
import type { Random } from "../../harness/random.ts";

export interface Killing {
  /** How often each function was killed in the midst of a run. */
  readonly kills: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** Long enough for a run to be over, short enough to be in its midst. */
const latestMs = 40;
/** Between two kills of a function, so that the killed one can run. */
const longestPauseMs = 3_000;

/** Kills each function repeatedly, at a random point of a run. */
export function startKilling(
  { controlUrl }: Connection,
  functions: readonly string[],
  random: Random,
): Killing {
  const kills = new Map(functions.map((name) => [name, 0]));
  const stopping = new AbortController();
  const killAgainAndAgain = async (name: string) => {
    while (!stopping.signal.aborted) {
      const body = JSON.stringify({ function: name, afterMs: Math.floor(random.fraction() ** 2 * latestMs) });
      const response = await fetch(`${controlUrl}/kill`, { method: "POST", body, signal: stopping.signal });
      if (!response.ok) throw new Error(`${name} cannot be killed: ${await response.text()}`);
      const { killed } = (await response.json()) as { killed: boolean };
      if (killed) kills.set(name, (kills.get(name) ?? 0) + 1);
      await delay(random.fraction() * longestPauseMs, undefined, { signal: stopping.signal });
    }
  };
  const loops = functions.map((name) =>
    killAgainAndAgain(name).catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error;
    }),
  );
  const all = Promise.all(loops);
  return {
    kills,
    stop: async () => {
      stopping.abort();
      await all;
    },
  };
}
