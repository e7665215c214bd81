import { deflateSync, inflateSync } from "node:zlib";
import * as z from "zod";
import { detailDictionary, type OutboxEvent, RelayedEvent, readAgain } from "../../contract/outbox.ts";
import type { WriteAction } from "../table/transact.ts";

/** An outbox item, or any item that carries its commit's event, to the event. */
export const StoredEvent = z.preprocess(toEvent, RelayedEvent);

function toEvent(item: unknown): unknown {
  const { outbox, pk } = Object(item) as {
    readonly outbox?: { readonly detail: unknown };
    readonly pk: unknown;
  };
  if (!outbox) return item;
  const [programId] = String(pk).split("#");
  return { ...outbox, programId, detail: unpack(outbox.detail) };
}

/** The window covers the dictionary and a detail. Less memory is faster to set up. */
const dictionary = Buffer.from(detailDictionary);
const options = { dictionary, windowBits: 11, memLevel: 2 };

/** The writes of a commit, of which the first with one of these names carries the event, if any. */
export function withCarriedEvent(
  writes: readonly WriteAction[],
  carriers: ReadonlySet<string>,
): readonly WriteAction[] {
  const event = writes.find(({ name }) => name === "outbox");
  const carrier = writes.find(({ name }) => carriers.has(name));
  if (!event || !carrier || !("Put" in event && "Put" in carrier)) return writes;
  if (readAgain.has(event.Put.Item?.kind)) return writes;
  const { pk: _, sk: __, programId: ___, expiresAtSeconds: ____, detail, ...others } = { ...event.Put.Item };
  const outbox = { ...others, detail: packDetail(detail) };
  const Put = { ...carrier.Put, Item: { ...carrier.Put.Item, outbox } };
  return writes.flatMap((write) => (write === event ? [] : write === carrier ? { ...carrier, Put } : write));
}

export function packDetail(detail: OutboxEvent["detail"]): Uint8Array {
  return deflateSync(JSON.stringify(detail), options);
}

/** Undefined for anything else. A stream's record has bytes in base64. */
function unpack(packed: unknown): unknown {
  try {
    const bytes = typeof packed === "string" ? Buffer.from(packed, "base64") : (packed as Uint8Array);
    return JSON.parse(inflateSync(bytes, { dictionary }).toString("utf8"));
  } catch {
    return undefined;
  }
}
