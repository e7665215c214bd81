import * as z from "zod";
import { type CardControl, type ControlRules, ControlState, type ControlView } from "../contract/controls.ts";
import type { Metadata } from "../contract/primitives.ts";
import { listChange, listUpdate } from "../lists/entry.ts";
import { defineList, toEntry } from "../lists/kind.ts";
import { nameKey } from "../lists/name-key.ts";
import { searchKey } from "../lists/search-key.ts";
import { newId } from "../platform/id.ts";
import { labelFields, labelPuts, newLabels, withMetadata } from "../platform/labels.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { Key } from "../platform/table/keys.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { ActiveControl } from "./rulebooks.ts";

/** A control, active or not. What authorizations read of the active ones is in rulebooks. */
const Control = z.object({
  /** controlId. */
  entityId: z.string(),
  name: z.string(),
  /** A Card's control has both, the Program's neither. */
  cardId: z.string().optional(),
  cardholderId: z.string().optional(),
  state: ControlState,
  /** Stored as they were validated: a later rule must not make a control unreadable. */
  rules: z.custom<ControlRules>((rules) => typeof rules === "object" && rules !== null),
  createdAt: z.string(),
  activatedAt: z.string().optional(),
  /** When it began to count in its present window, if that is later. */
  countsFrom: z.string().optional(),
  /** Grows with each change, which requires the version that it read. */
  version: z.int(),
  ...labelFields,
});
export type Control = Readonly<z.output<typeof Control>>;

export const controls = defineEntity({
  name: "control",
  schema: Control,
  key: (programId: string, controlId: string) => ({ pk: `${programId}#${controlId}`, sk: "CONTROL" }),
});

/** Points to the control, from its owner: a Card or Cardholder. */
const controlsOfOwner = defineEntity({
  name: "controlOf",
  schema: z.object({ controlId: z.string() }),
  key: (programId: string, ownerId: string, controlId: string) => ({
    pk: `${programId}#${ownerId}`,
    sk: `CONTROL#${controlId}`,
  }),
});

export const controlList = defineList({
  name: "controls",
  filters: ["state"],
  orders: ["name", "soughtName"],
  sortKeys: {
    name: ({ name }) => nameKey(String(name)),
    soughtName: ({ name }) => searchKey(String(name)),
  },
  recordKey: ({ programId }, controlId) => controls.key(programId, controlId),
});

/** A Card's control names its Cardholder too. */
type ControlOwner = Pick<Control, "cardId" | "cardholderId">;

export function newControl(
  { name, state, externalId, metadata, ...rules }: CardControl,
  owner: ControlOwner,
  createdAt: string,
): Control {
  return {
    entityId: newId("control"),
    name,
    ...owner,
    state,
    rules,
    createdAt,
    ...(state === "active" && { activatedAt: createdAt }),
    version: 1,
    ...newLabels({ externalId, metadata }),
  };
}

/** As authorizations read it; undefined for a draft. */
export function toActiveControl(control: Control | undefined): ActiveControl | undefined {
  if (control?.activatedAt === undefined) return undefined;
  const { entityId: controlId, activatedAt, countsFrom, rules } = control;
  return { controlId, countsFrom: countsFrom ?? activatedAt, ...rules };
}

/** The Card or Cardholder that it was made for; undefined for the whole Program. */
export function getOwnerId({ cardId, cardholderId }: Control): string | undefined {
  return cardId ?? cardholderId;
}

/** Conditions: `control`, and `externalId`, which another one may have. */
export function controlCreate(programId: string, control: Control, metadata?: Metadata): WriteAction {
  return withInsert(createUnlisted(programId, control, metadata), programId, [control]);
}

/** Several in one transaction: they are listed by one row, since a transaction has 100 writes. */
export function controlCreates(
  programId: string,
  created: readonly Control[],
  metadata: readonly (Metadata | undefined)[],
): WriteAction[] {
  const [first, ...others] = created.map((one, index) => createUnlisted(programId, one, metadata[index]));
  return first ? [withInsert(first, programId, created), ...others] : [];
}

function withInsert(create: WriteAction, programId: string, created: readonly Control[]): WriteAction {
  const entries = created.map((one) => toEntry(controlList, one.entityId, one));
  const list = { programId, kind: controlList };
  return { ...create, alongside: [listChange(list, entries), ...(create.alongside ?? [])] };
}

function createUnlisted(programId: string, control: Control, metadata?: Metadata): WriteAction {
  const { entityId: controlId } = control;
  const ownerId = getOwnerId(control);
  return {
    ...controls.at(programId, controlId).create(control),
    alongside: [
      ...(ownerId ? [controlsOfOwner.at(programId, ownerId, controlId).create({ controlId })] : []),
      ...labelPuts(toLabelled(programId, controlId), { externalId: control.externalId, metadata }),
    ],
  };
}

export function toLabelled(programId: string, controlId: string) {
  return { programId, kind: "control", recordId: controlId } as const;
}

/** Fails if the control is not as it was read. */
export function controlPut(programId: string, before: Control, after: Control): WriteAction {
  const { entityId: controlId, version } = before;
  const isListedAlike = after.name === before.name && after.state === before.state;
  return {
    ...controls.at(programId, controlId).put({ ...after, version: version + 1 }, { version }),
    alongside: isListedAlike ? [] : [listUpdate(controlList, programId, controlId, before, after)],
  };
}

/** Fails if the control is not as it was read. */
export function controlDelete(programId: string, before: Control): WriteAction {
  const { entityId: controlId, version } = before;
  const ownerId = getOwnerId(before);
  return {
    ...controls.at(programId, controlId).delete({ version }),
    alongside: [
      listUpdate(controlList, programId, controlId, before, undefined),
      ...(ownerId ? [controlsOfOwner.at(programId, ownerId, controlId).delete()] : []),
    ],
  };
}

/** The keys of the controls of one Card, or of one Cardholder without those of their Cards. */
export async function readControlKeys(programId: string, ownerId: string): Promise<Key[]> {
  const pointers = await controlsOfOwner.list(programId, ownerId);
  return pointers.map(({ controlId }) => controls.key(programId, controlId));
}

/** Without metadata. */
export function toControlView(control: Control): ControlView {
  const { entityId, name, cardId, cardholderId, state, rules, createdAt, activatedAt } = control;
  return {
    controlId: entityId,
    name,
    // A Card's control also names the Cardholder, whom its view does not show.
    ...(cardId === undefined ? { cardholderId } : { cardId }),
    state,
    ...rules,
    externalId: control.externalId,
    dateCreated: createdAt,
    dateActivated: activatedAt,
  };
}

/** As it is answered. */
export function showControl(programId: string, control: Control): Promise<ControlView> {
  const { entityId, hasMetadata } = control;
  return withMetadata(programId, entityId, { ...toControlView(control), hasMetadata });
}
