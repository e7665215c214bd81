import { handler } from "../../../functions/processor-events/handler.ts";
import { newId } from "../../../shared/platform/id.ts";
import { randomFrom, someSeed } from "../../harness/random.ts";
import type { Done } from "./caller-processes.ts";

/** Callers of a process of their own: they know no more of the others than Lambdas do. */
export interface Work {
  readonly programId: string;
  readonly cardIds: readonly string[];
  readonly callers: number;
  readonly seconds: number;
}

const random = randomFrom(someSeed() + process.pid);

process.on("message", async ({ programId, cardIds, callers, seconds }: Work) => {
  const endsAtMs = performance.now() + seconds * 1_000;
  const [tookMs, refused]: [number[], string[]] = [[], []];
  const caller = async () => {
    while (performance.now() < endsAtMs) {
      const [eventId, authorizationId] = [newId("event"), newId("hold")];
      const cardId = random.pick(cardIds);
      const event = { kind: "authorization", eventId, programId, cardId, authorizationId, amount: 1 };
      const startedMs = performance.now();
      const answer = await handler(event).catch((error: unknown) => ({ approved: false, error }));
      if ((answer as { approved?: boolean }).approved) tookMs.push(performance.now() - startedMs);
      else refused.push(String((answer as { error?: unknown }).error ?? JSON.stringify(answer)));
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  process.send?.({ tookMs, refused } satisfies Done);
});
process.send?.("ready");
