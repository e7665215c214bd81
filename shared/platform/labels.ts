import * as z from "zod";
import {
  type LabelledKind,
  type Metadata,
  type MetadataChange,
  metadataFault,
  type NamedKind,
} from "../contract/primitives.ts";
import { ApiError, invalid } from "./http/api-error.ts";
import { randomToken } from "./id.ts";
import { all, type Condition, exists, isNew } from "./table/condition.ts";
import { defineEntity, type StoredAt } from "./table/entity.ts";
import type { Key } from "./table/keys.ts";
import { Conflict, retryDecision } from "./table/retry.ts";
import { type FailedConditions, type StoredItem, transact, type WriteAction } from "./table/transact.ts";

/** Attributes of such a record. */
export const labelFields = {
  externalId: z.string().optional(),
  /** It has metadata: an item of its own, without which balances are written. */
  hasMetadata: z.literal(true).optional(),
};
export interface Labels {
  readonly externalId?: string | undefined;
  readonly hasMetadata?: true | undefined;
}

/** A view that does not have the metadata yet. */
export type Labelling<View> = View & Pick<Labels, "hasMetadata">;

export interface GivenLabels {
  readonly externalId?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

export interface Labelled {
  readonly programId: string;
  readonly kind: LabelledKind;
  readonly recordId: string;
  /** Who has the record, where its id alone does not lead to it. */
  readonly ownerId?: string | undefined;
}

const Pointer = z.object({ recordId: z.string(), ownerId: z.string().optional() });
export type Pointer = Readonly<z.output<typeof Pointer>>;

/** The record of a kind that has an `externalId`; beside it, by their ids, those that had it. */
const pointers = defineEntity({
  name: "externalId",
  schema: Pointer,
  key: (programId: string, externalId: string, kind: NamedKind, formerId: string) => ({
    pk: `${programId}#EXTERNAL#${externalId}`,
    sk: `EXTERNAL_ID#${kind}#${formerId}`,
  }),
});
const holder = "";

const metadataItems = defineEntity({
  name: "metadata",
  schema: z.object({ values: z.record(z.string(), z.string()), version: z.string() }),
  key: (programId: string, recordId: string) => ({ pk: `${programId}#${recordId}`, sk: "METADATA" }),
});

/** What a new record has of them. */
export function newLabels({ externalId, metadata }: GivenLabels): Labels {
  const hasMetadata = metadata !== undefined && Object.keys(metadata).length > 0;
  return { externalId, ...(hasMetadata && { hasMetadata }) };
}

export function toLabels({ externalId, hasMetadata }: Labels): Labels {
  return { externalId, hasMetadata };
}

/** In the transaction that creates the record. Its condition is named `externalId`. */
export function labelPuts(of: Labelled, { externalId, metadata }: GivenLabels): WriteAction[] {
  const { hasMetadata } = newLabels({ metadata });
  return [
    ...(externalId === undefined ? [] : [pointerPut(of, externalId)]),
    ...(hasMetadata ? [metadataPut(of, metadata ?? {})] : []),
  ];
}

function pointerPut({ programId, kind, recordId, ownerId }: Labelled, externalId: string): WriteAction {
  return pointers.at(programId, externalId, kind, holder).create({ recordId, ownerId });
}

function metadataPut({ programId, recordId }: Labelled, values: Metadata, seen?: string): WriteAction {
  const item = metadataItems.at(programId, recordId);
  return item.put({ values, version: randomToken(12) }, seen === undefined ? isNew : { version: seen });
}

/** The record without what the plan removes. */
export function withoutLabels<Item extends Labels>(item: Item, { remove }: Pick<LabelPlan, "remove">): Item {
  const removed: readonly string[] = remove;
  return Object.fromEntries(Object.entries(item).filter(([name]) => !removed.includes(name))) as Item;
}

/** The record is deleted, with all that it had. */
export async function removeLabels(
  of: Labelled,
  { externalId, hasMetadata }: Labels,
): Promise<WriteAction[]> {
  const released = await releaseExternalId(of, externalId);
  return hasMetadata ? [...released, metadataItems.at(of.programId, of.recordId).delete()] : released;
}

/** What a failed condition on the `externalId` has found: another record has it. */
export function parsePointer(stored: StoredItem): Pointer | undefined {
  return pointers.parse(stored);
}

/** @throws ApiError EXTERNAL_ID_EXISTS if a condition has found another record that has it */
export function requireUnique(failed: FailedConditions, { recordId }: Pick<Labelled, "recordId">): void {
  const existing = parsePointer(failed.get("externalId"));
  if (existing && existing.recordId !== recordId)
    throw new ApiError("EXTERNAL_ID_EXISTS", [], existing.recordId);
}

/** All that have it: the one that keeps others out, and deleted ones. */
export async function findByExternalId(
  programId: string,
  kind: NamedKind,
  externalId: string,
): Promise<Pointer[]> {
  const found = await pointers.list(programId, externalId, kind);
  return [...new Map(found.map((pointer) => [pointer.recordId, pointer])).values()];
}

/** All that have it, as `listPage` takes them; undefined where none is asked for. */
export async function findNamed(
  programId: string,
  kind: NamedKind,
  externalId: string | undefined,
  toKey: (programId: string, recordId: string) => Key,
): Promise<{ readonly keys: readonly Key[] } | undefined> {
  if (externalId === undefined) return undefined;
  const found = await findByExternalId(programId, kind, externalId);
  return { keys: found.map(({ recordId }) => toKey(programId, recordId)) };
}

/** The record that has it now, and keeps others out. */
export function findHolder(programId: string, kind: LabelledKind, externalId: string) {
  return pointers.at(programId, externalId, kind, holder).get();
}

export async function readMetadata(programId: string, recordId: string): Promise<Metadata | undefined> {
  return (await metadataItems.at(programId, recordId).get())?.values;
}

/** A record's view with its metadata, which only a record that has some reads. */
export async function withMetadata<View extends Pick<Labels, "hasMetadata">>(
  programId: string,
  recordId: string,
  { hasMetadata, ...view }: View,
): Promise<Omit<View, "hasMetadata"> & { readonly metadata?: Metadata | undefined }> {
  return { ...view, ...(hasMetadata && { metadata: await readMetadata(programId, recordId) }) };
}

export interface LabelChange {
  readonly externalId?: string | null | undefined;
  readonly metadata?: MetadataChange | undefined;
}

export interface LabelPlan {
  readonly seen: Labels;
  /** What the record's own write sets. */
  readonly set: Labels;
  readonly remove: (keyof Labels)[];
  /** It requires the labels as read. */
  readonly condition: Condition<Labels>;
  readonly writes: readonly WriteAction[];
  /** As it is afterwards. */
  readonly metadata: Metadata | undefined;
}

/**
 * The change of a record's labels, for its transaction. Conditions: `externalId`, `metadata`. After
 * one of them or the record's has failed, `requireUnique` says whether it is to be planned again.
 * @throws ApiError VALIDATION_FAILED if the merged metadata is too much
 */
export async function planLabels(of: Labelled, stored: Labels, change: LabelChange): Promise<LabelPlan> {
  const { programId, recordId } = of;
  const [released, before] = await Promise.all([
    change.externalId === undefined || change.externalId === stored.externalId
      ? undefined
      : releaseExternalId(of, stored.externalId),
    stored.hasMetadata && metadataItems.at(programId, recordId).get(),
  ]);
  const merged = merge(before?.values ?? {}, change.metadata);
  const isEmpty = Object.keys(merged).length === 0;
  const metadataWrite = () =>
    isEmpty
      ? before && metadataItems.at(programId, recordId).delete({ version: before.version })
      : metadataPut(of, merged, before?.version);
  const taken = released && change.externalId ? [pointerPut(of, change.externalId)] : [];
  const written = change.metadata === undefined ? undefined : metadataWrite();
  return {
    seen: toLabels(stored),
    set: {
      ...(taken.length > 0 && { externalId: change.externalId as string }),
      ...(!isEmpty && !stored.hasMetadata && { hasMetadata: true }),
    },
    remove: [
      ...(released && !change.externalId ? (["externalId"] as const) : []),
      ...(isEmpty && stored.hasMetadata ? (["hasMetadata"] as const) : []),
    ],
    condition: { externalId: stored.externalId, hasMetadata: stored.hasMetadata },
    writes: [...(released ?? []), ...taken, ...(written ? [written] : [])],
    metadata: isEmpty ? undefined : merged,
  };
}

/** Frees it, if it is this record that keeps others out. */
export async function releaseExternalId(
  { programId, kind, recordId }: Labelled,
  externalId: string | undefined,
): Promise<WriteAction[]> {
  if (externalId === undefined) return [];
  const pointer = pointers.at(programId, externalId, kind, holder);
  return (await pointer.get())?.recordId === recordId
    ? [{ ...pointer.delete({ recordId }), name: "formerId" }]
    : [];
}

/** Deleted, the record shows its `externalId` and is found by it, but keeps no other out. */
export async function retireExternalId(of: Labelled, { externalId }: Labels): Promise<WriteAction[]> {
  if (externalId === undefined) return [];
  const { programId, kind, recordId } = of;
  const former = pointers.at(programId, externalId, kind, recordId).put({ recordId });
  return [...(await releaseExternalId(of, externalId)), { ...former, name: "formerId" }];
}

/** A new record is found by its `externalId`, and keeps no other out. */
export function namePuts(
  { programId, kind, recordId }: Pick<Labelled, "programId" | "recordId"> & { readonly kind: NamedKind },
  externalId: string | undefined,
): WriteAction[] {
  if (externalId === undefined) return [];
  return [{ ...pointers.at(programId, externalId, kind, recordId).put({ recordId }), name: "formerId" }];
}

function merge(before: Metadata, change: MetadataChange | undefined): Metadata {
  if (change === undefined) return before;
  if (change === null) return {};
  const merged = Object.fromEntries(
    Object.entries({ ...before, ...change }).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  const message = metadataFault(merged);
  if (message) throw invalid("body.metadata", "custom", message);
  return merged;
}

/** What else changes with the labels of a record, and what it requires. */
interface Beside<Item> {
  readonly set: Partial<Item>;
  readonly condition: Condition<Item>;
  readonly alongside?: readonly WriteAction[];
}

/**
 * Changes a record's labels, and what `beside` says. Returns it as it is afterwards.
 * @throws ApiError NOT_FOUND, EXTERNAL_ID_EXISTS, VALIDATION_FAILED
 */
export async function changeLabels<Item extends Labels & object>(
  of: Labelled,
  change: LabelChange,
  item: StoredAt<Item>,
  beside: (stored: Item) => Beside<Item> = () => ({ set: {}, condition: exists }),
): Promise<{ readonly changed: Item; readonly metadata: Metadata | undefined }> {
  return retryDecision(async () => {
    const stored = await item.require();
    const plan = await planLabels(of, stored, change);
    const { set: more, condition, alongside = [] } = beside(stored);
    const set: Partial<Item> = { ...more, ...plan.set };
    const isAsRead = all<Item>(exists, plan.condition as Condition<Item>, condition);
    const outcome = await transact([
      { ...item.update({ set, remove: plan.remove }, isAsRead), alongside },
      ...plan.writes,
    ]);
    if (outcome.committed)
      return { changed: withoutLabels({ ...stored, ...set }, plan), metadata: plan.metadata };
    requireUnique(outcome.failedConditions, of);
    return new Conflict(...outcome.failedConditions.keys());
  });
}
