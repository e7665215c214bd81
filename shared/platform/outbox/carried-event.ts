import * as z from "zod";
import { RelayedEvent, readAgain } from "../../contract/outbox.ts";
import { unpackItem } from "../table/packed.ts";
import type { WriteAction } from "../table/transact.ts";

/** An outbox item, or any item that carries its commit's event, to the event. */
export const StoredEvent = z.preprocess(toEvent, RelayedEvent);

/** Undefined for what cannot be unpacked. */
function toEvent(item: unknown): unknown {
  try {
    const { carried, pk } = unpackItem(Object(item) as Item);
    if (carried === undefined) return item;
    const [programId] = String(pk).split("#");
    return { ...(carried as object), programId };
  } catch {
    return undefined;
  }
}

type Item = Readonly<Record<string, unknown>>;

/** The writes of a commit, of which the first with one of these names carries the event, if any. */
export function withCarriedEvent(
  writes: readonly WriteAction[],
  carriers: ReadonlySet<string>,
): readonly WriteAction[] {
  const event = writes.find(({ name }) => name === "outbox");
  const carrier = writes.find(({ name }) => carriers.has(name));
  if (!event || !carrier || !("Put" in event && "Put" in carrier)) return writes;
  if (readAgain.has(event.Put.Item?.kind)) return writes;
  const { pk: _, sk: __, programId: ___, expiresAtSeconds: ____, ...carried } = { ...event.Put.Item };
  // The relay gets the items that say so.
  const Put = { ...carrier.Put, Item: { ...carrier.Put.Item, outbox: true, carried } };
  return writes.flatMap((write) => (write === event ? [] : write === carrier ? { ...carrier, Put } : write));
}
