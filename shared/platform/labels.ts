import * as z from "zod";
import {
  type LabelledKind,
  type Metadata,
  type MetadataChange,
  metadataFault,
} from "../contract/primitives.ts";
import { ApiError } from "./http/api-error.ts";
import { randomToken } from "./id.ts";
import { all, type Condition, exists, isNew } from "./table/condition.ts";
import { defineEntity, type StoredAt } from "./table/entity.ts";
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
  key: (programId: string, externalId: string, kind: LabelledKind, formerId: string) => ({
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

/** What a failed condition on the `externalId` has found: another record has it. */
export function parsePointer(stored: StoredItem): Pointer | undefined {
  return pointers.parse(stored);
}

/** @throws ApiError EXTERNAL_ID_EXISTS if a condition has found another record that has it */
export function requireUnique(failed: FailedConditions, { recordId }: Pick<Labelled, "recordId">): void {
  const existing = parsePointer(failed.get("externalId"));
  if (existing && existing.recordId !== recordId) throw externalIdExists(existing.recordId);
}

function externalIdExists(recordId: string): ApiError {
  return new ApiError("EXTERNAL_ID_EXISTS", [], recordId);
}

/** All that have it: the one that keeps others out, and deleted ones. */
export async function findByExternalId(
  programId: string,
  kind: LabelledKind,
  externalId: string,
): Promise<Pointer[]> {
  const found = await pointers.list(programId, externalId, kind);
  return [...new Map(found.map((pointer) => [pointer.recordId, pointer])).values()];
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

function merge(before: Metadata, change: MetadataChange | undefined): Metadata {
  if (change === undefined) return before;
  if (change === null) return {};
  const merged = Object.fromEntries(
    Object.entries({ ...before, ...change }).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  const message = metadataFault(merged);
  if (message) throw new ApiError("VALIDATION_FAILED", [{ path: "body.metadata", code: "custom", message }]);
  return merged;
}

interface LabelledItem<Item extends Labels, View extends Pick<Labels, "hasMetadata">> {
  readonly item: StoredAt<Item>;
  readonly view: (item: Item) => View;
}

/**
 * Changes a record of which nothing else changes, and answers with it.
 * @throws ApiError NOT_FOUND, EXTERNAL_ID_EXISTS, VALIDATION_FAILED
 */
export async function changeLabels<Item extends Labels, View extends Pick<Labels, "hasMetadata">>(
  of: Labelled,
  change: LabelChange,
  { item, view }: LabelledItem<Item, View>,
) {
  return retryDecision(async () => {
    const stored = await item.require();
    const { set, remove, condition, writes, metadata } = await planLabels(of, stored, change);
    const update = item.update(
      { set: set as Partial<Item>, remove },
      all<Item>(exists, condition as Condition<Item>),
    );
    const outcome = await transact([update, ...writes]);
    if (outcome.committed) {
      const removed = Object.fromEntries(remove.map((name) => [name, undefined]));
      const { hasMetadata: _, ...shown } = view({ ...stored, ...set, ...removed });
      return { ...shown, metadata };
    }
    requireUnique(outcome.failedConditions, of);
    return new Conflict(...outcome.failedConditions.keys());
  });
}
