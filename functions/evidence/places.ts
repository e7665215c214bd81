import * as z from "zod";
import { now, timestamp, unixSeconds } from "../../shared/platform/clock.ts";
import { any, atMost, isNew } from "../../shared/platform/table/condition.ts";
import { defineEntity } from "../../shared/platform/table/entity.ts";

/** So many checks of a Program run at once. More wait, and delay nobody else. */
const placesOfProgram = 2;
/** Longer than an invocation takes: one that was ended gives its place back. */
const leaseMs = 40_000;

const Place = z.object({ leasedUntil: z.string(), expiresAtSeconds: z.int() });
const places = defineEntity({
  name: "place",
  schema: Place,
  key: (programId: string, place: number) => ({ pk: `${programId}#SLOTS#EVIDENCE-${place}`, sk: "SLOTS" }),
});

/** Runs it within the Program's share. False if all of that is taken: it has not run. */
export async function withinShareOf(programId: string, run: () => Promise<void>): Promise<boolean> {
  for (let place = 0; place < placesOfProgram; place += 1) {
    const leasedUntil = await take(programId, place);
    if (leasedUntil === undefined) continue;
    try {
      await run();
      return true;
    } finally {
      await leave(programId, place, leasedUntil);
    }
  }
  return false;
}

async function take(programId: string, place: number): Promise<string | undefined> {
  const at = now();
  const leasedUntil = timestamp(new Date(at.getTime() + leaseMs));
  const { updated } = await places
    .at(programId, place)
    .updateNow(
      { set: { leasedUntil, expiresAtSeconds: unixSeconds(at) + 86_400 } },
      any<z.output<typeof Place>>(isNew, { leasedUntil: atMost(timestamp(at)) }),
    );
  return updated ? leasedUntil : undefined;
}

/** Only its own: after the lease, another check may have the place. */
async function leave(programId: string, place: number, leasedUntil: string): Promise<void> {
  await places.at(programId, place).updateNow({ set: { leasedUntil: timestamp() } }, { leasedUntil });
}
