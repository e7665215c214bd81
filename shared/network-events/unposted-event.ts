import * as z from "zod";
import type { KindWith } from "../contract/card-network.ts";
import type { ProcessorEvent, RejectionCode } from "../contract/processor.ts";
import { now, timestamp, unixSeconds } from "../platform/clock.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { settledKinds } from "./card-event.ts";

const keptMs = 400 * 86_400_000;

/** A settlement that the network sent as an event, and that was refused. */
const UnpostedEvent = z.object({
  eventId: z.string(),
  kind: z.enum(settledKinds),
  referenceCode: z.string().optional(),
  amountMinor: z.int(),
  interchangeMinor: z.int().optional(),
  code: z.string(),
  createdAt: z.string(),
  expiresAtSeconds: z.int(),
});
export type UnpostedEvent = Readonly<z.output<typeof UnpostedEvent>>;

/** By the day in UTC: the writer does not know the Program's. */
export const unpostedEvents = defineEntity({
  name: "unpostedEvent",
  schema: UnpostedEvent,
  key: (programId: string, utcDate: string, eventId: string) => ({
    pk: `${programId}#UNPOSTED#${utcDate}`,
    sk: `EVENT#${eventId}`,
  }),
});

/** The day's report has it. Records of files are noted with their file. */
export async function noteUnposted(event: ProcessorEvent, code: RejectionCode): Promise<void> {
  if (!isSettlement(event, code)) return;
  const { programId, eventId, kind, referenceCode, amount: amountMinor, interchange } = event;
  if (eventId.startsWith(`clearing:${referenceCode}`)) return;
  const at = now();
  const createdAt = timestamp(at);
  await unpostedEvents.at(programId, createdAt.slice(0, 10), eventId).createNow({
    ...{ eventId, kind, referenceCode, amountMinor, interchangeMinor: interchange, code, createdAt },
    expiresAtSeconds: unixSeconds(new Date(at.getTime() + keptMs)),
  });
}

type Settlement = Extract<ProcessorEvent, { kind: KindWith<"settles"> }>;

/** The network has settled it: a withdrawal if it does not ask, or names what has settled. */
function isSettlement(event: ProcessorEvent, code: RejectionCode): event is Settlement {
  if (event.kind === "atm_withdrawal") return event.advice === true || code === "REFERENCE_EXISTS";
  return settledKinds.some((kind) => kind === event.kind);
}
