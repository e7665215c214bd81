import type { OutboxEvent } from "../../../shared/contract/outbox.ts";
import { startBusRecorder } from "../bus-recorder.ts";
import { doJob } from "../given-jobs.ts";
import { givenStream } from "../given-stream.ts";
import type { Deed, World } from "./world.ts";

interface Relayed {
  readonly stream: Awaited<ReturnType<typeof givenStream>>;
  due: OutboxEvent[];
}

const relays = new WeakMap<World, Relayed>();

/** What the relay finds to be due since the last time. */
async function relay({ stream }: Relayed): Promise<OutboxEvent[]> {
  const bus = await startBusRecorder();
  const { handler } = await import("../../../functions/outbox-relay/handler.ts");
  const { batchItemFailures } = await handler({ Records: await stream.next() });
  if (batchItemFailures.length > 0) throw new Error("The relay has failed.");
  const due = bus.calls.flat().filter(({ DetailType }) => DetailType.endsWith(".due"));
  return due.map(({ Detail }) => JSON.parse(Detail));
}

/** What is done in the background. */
export const relayDeeds: Readonly<Record<string, Deed>> = {
  /** The jobs that are due since the last time, at first from now on. */
  relay: async (world) => {
    const relayed = relays.get(world) ?? { stream: await givenStream(world.program.programId), due: [] };
    relays.set(world, relayed);
    relayed.due = await relay(relayed);
    return { word: "done", isDone: true, data: relayed.due.map(({ detail }) => detail) };
  },
  /** Those that were relayed, and all that follow. */
  jobs: async (world) => {
    const relayed = relays.get(world);
    if (!relayed) throw new Error("Nothing is relayed yet.");
    const { due } = relayed;
    for (let next = [...due, ...(await relay(relayed))]; next.length > 0; next = await relay(relayed))
      for (const event of next) await doJob(event);
    relayed.due = [];
    return { word: "done", isDone: true };
  },
};
