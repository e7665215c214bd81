import type { ProcessorEvent } from "../../contract/processor.ts";
import type { CardEvent } from "./card-event.ts";
import { eventRecords } from "./event-record.ts";
import { notFound, type Rejected } from "./plan.ts";

export interface TieOptions {
  /** The event that `precedingEventId` names will not come any more. */
  readonly isPrecedingMissing?: boolean;
  /** The event is a record of the network's file, which settles what it posts. */
  readonly isOfFile?: boolean;
}

/**
 * The event with the authorization of the one that it names, where that is not the first of its
 * authorization. Not found until that has come, unless it will not come any more.
 */
export async function resolvePreceding(
  event: CardEvent,
  { isPrecedingMissing = false }: TieOptions,
): Promise<CardEvent | Rejected> {
  if (!("precedingEventId" in event) || event.precedingEventId === undefined) return event;
  const preceding = await eventRecords.at(event.programId, event.precedingEventId).get();
  if (!preceding?.result && !isPrecedingMissing) return notFound;
  const { result } = preceding ?? {};
  const { authorizationId = event.authorizationId } = result?.outcome === "applied" ? result : {};
  return { ...event, precedingEventId: undefined, authorizationId } as CardEvent;
}

/** Whether an event that is not found may be as soon as the one before it has come. */
export function waitsForPreceding(event: ProcessorEvent, { isPrecedingMissing }: TieOptions): boolean {
  return "precedingEventId" in event && event.precedingEventId !== undefined && !isPrecedingMissing;
}
