import { type OtherEvent, otherChanges } from "../../functions/processor-events/other-events.ts";
import { type Change, type OfProgram, type Read, unread } from "../../shared/changes/change.ts";
import type { Commit } from "../../shared/ledger/commit.ts";
import { cardChanges } from "../../shared/network-events/apply/card-changes.ts";
import { findChange, toSent } from "../../shared/network-events/apply/execute-event.ts";
import type { PlannedEvent } from "../../shared/network-events/card-event.ts";

import { now } from "../../shared/platform/clock.ts";

type AnyChange = Change<OfProgram, object, unknown, string>;

/** Reads and decides an event as the engine does, and leaves the commit to the test. */
export async function planEvent(event: PlannedEvent): Promise<Commit> {
  const isOther = event.kind in otherChanges;
  const change = (isOther
    ? otherChanges[event.kind as OtherEvent["kind"]]
    : findChange(cardChanges, event)) as unknown as AnyChange;
  const sent = isOther ? event : toSent(event);
  const at = now();
  let found = await readAll(change.reads(sent));
  for (;;) {
    const decision = change.decide(sent, found, at);
    if ("rejected" in decision) throw new Error(`The event was rejected: ${decision.rejected}.`);
    if ("done" in decision) throw new Error("The event is another one.");
    if (!("readMore" in decision)) return { ...decision, programId: event.programId, at };
    found = { ...found, ...(await readAll(decision.readMore)) };
  }
}

async function readAll(reads: object): Promise<object> {
  const named = Object.entries(reads as Record<string, Read<unknown>>);
  const found = named.map(async ([name, read]) => [name, read.isLater ? unread : await read.get()] as const);
  return Object.fromEntries(await Promise.all(found));
}
