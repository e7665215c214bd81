import * as z from "zod";
import { Card, Shipping } from "../cards/card.ts";
import { firstPlasticId, shownPlasticId } from "../cards/card-plastic.ts";
import { AccountUpdateKind, type AccountUpdateView } from "../contract/account-updates.ts";
import { CardForm, CardStatus, PlasticReason, type PlasticState } from "../contract/enums.ts";
import { VaultCard } from "../contract/vault.ts";
import { listInsert } from "../lists/entry.ts";
import { defineList } from "../lists/kind.ts";
import { deadlinePut, defineDeadline } from "../platform/deadlines.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { fromEach, type TransitionTable } from "../platform/table/transition.ts";

export type PlasticTrigger = "activate" | "replace" | "stop" | "close";

/** Every legal change of a plastic's state. A virtual one begins as active. */
export const plasticTransitions = [
  { from: "pending", trigger: "activate", to: "active" },
  ...fromEach(["pending", "active"], "replace", "replaced"),
  ...fromEach(["pending", "active", "replaced"], "stop", "stopped"),
  ...fromEach(["pending", "active", "replaced"], "close", "closed"),
] as const satisfies TransitionTable<PlasticState, PlasticTrigger>;

const Plastic = z.object({
  plasticId: z.string(),
  cardId: z.string(),
  sequence: z.int(),
  reason: PlasticReason,
  /** Never `closed`: that follows from the Card. */
  state: z.enum(["pending", "active", "stopped", "replaced"]),
  bin: z.string(),
  lastFour: z.string(),
  /** The first plastic that has its number. Absent from those with the Card's first number. */
  numberId: z.string().optional(),
  expiryMonth: z.int(),
  expiryYear: z.int(),
  shippingAddress: Card.shape.shippingAddress,
  shipping: Shipping.optional(),
  createdAt: z.string(),
  activateBy: z.string().optional(),
  activatedAt: z.string().optional(),
  endedAt: z.string().optional(),
  /** What was reported of it, or of another with its number. */
  stoppedFor: z.enum(["lost", "stolen"]).optional(),
});
export type Plastic = Readonly<z.output<typeof Plastic>>;

/** The first one has an item from its replacement on. Before, it is its Card. */
export const plastics = defineEntity({
  name: "plastic",
  schema: Plastic,
  saysWhenChanged: true,
  key: (programId: string, cardId: string, plasticId: string) => ({
    pk: `${programId}#${cardId}#PLASTICS`,
    sk: `PLASTIC#${plasticId}`,
  }),
});

/** By its Card, which was never replaced. */
export function toFirstPlastic(card: Card): Plastic {
  const { entityId: cardId, bin, lastFour, expiryMonth, expiryYear, shippingAddress, shipping } = card;
  const { issuerCardStatus: status, cardForm, createdAt } = card;
  const awaits = status === CardStatus.pending || status === CardStatus.notActivated;
  return {
    plasticId: firstPlasticId(cardId),
    cardId,
    sequence: 1,
    reason: "issued",
    state: awaits ? "pending" : "active",
    ...{ bin, lastFour, expiryMonth, expiryYear, shippingAddress, shipping, createdAt },
    ...(cardForm === CardForm.virtual && !awaits && { activatedAt: createdAt }),
  };
}

/** As its Card has it. */
export function toShownPlastic(card: Card): Plastic {
  const { numberId } = card;
  return {
    ...toFirstPlastic(card),
    plasticId: shownPlasticId(card),
    ...(numberId !== undefined && { numberId }),
  };
}

/** @throws ApiError NOT_FOUND */
export async function requirePlastic(programId: string, cardId: string, plasticId: string): Promise<void> {
  if (plasticId !== firstPlasticId(cardId))
    await plastics.at(programId, cardId, plasticId).require("body.plasticId");
}

/** All of a Card, the first one first. `stored`: their items. */
export function toPlastics(card: Card, stored: readonly Plastic[]): Plastic[] {
  const all = stored.length > 0 ? stored : [toFirstPlastic(card)];
  return all.toSorted((one, other) => one.sequence - other.sequence);
}

/** What the vault needs to know of it. */
export function toVaultCard(programId: string, plastic: Plastic): VaultCard {
  const { cardId, plasticId, numberId, bin, lastFour, expiryMonth, expiryYear } = plastic;
  return { programId, cardId, plasticId, numberId, bin, lastFour, expiryMonth, expiryYear };
}

/** The first plastic with its number. */
export function toNumberId({ cardId, numberId }: Pick<Plastic, "cardId" | "numberId">): string {
  return numberId ?? firstPlasticId(cardId);
}

export function isLoss(reason: PlasticReason): reason is "lost" | "stolen" {
  return reason === "lost" || reason === "stolen";
}

export function isLive({ state }: Plastic): boolean {
  return state === "pending" || state === "active";
}

/** As the transitions allow. @throws Error for another state */
function end(plastic: Plastic, trigger: "replace" | "stop", endedAt: string): Plastic {
  const step = plasticTransitions.find((one) => one.from === plastic.state && one.trigger === trigger);
  if (!step) throw new Error(`The plastic ${plastic.plasticId} takes no ${trigger}.`);
  return { ...plastic, state: trigger === "stop" ? "stopped" : "replaced", endedAt };
}

export function replaced(plastic: Plastic, endedAt: string): Plastic {
  return end(plastic, "replace", endedAt);
}

export function stopped(plastic: Plastic, stoppedFor: "lost" | "stolen", endedAt: string): Plastic {
  return { ...end(plastic, "stop", plastic.endedAt ?? endedAt), stoppedFor };
}

const AccountUpdate = z.object({
  /** updateId. */
  entityId: z.string(),
  cardId: z.string(),
  kind: AccountUpdateKind,
  oldNumberHash: z.string(),
  newNumberHash: z.string().optional(),
  expiryMonth: z.int().optional(),
  expiryYear: z.int().optional(),
  createdAt: z.string(),
});
type AccountUpdate = Readonly<z.output<typeof AccountUpdate>>;

export const accountUpdates = defineEntity({
  name: "account update",
  schema: AccountUpdate,
  key: (programId: string, cardId: string, updateId: string) => ({
    pk: `${programId}#${cardId}`,
    sk: `ACCOUNT_UPDATE#${updateId}`,
  }),
});

export const accountUpdateList = defineList({
  name: "accountUpdates",
  filters: ["kind"],
  carried: ["cardId"],
  recordKey: ({ programId }, updateId, { cardId }) => accountUpdates.key(programId, String(cardId), updateId),
});

export function accountUpdatePut(programId: string, update: AccountUpdate): WriteAction {
  const { cardId, entityId } = update;
  return {
    ...accountUpdates.at(programId, cardId, entityId).create(update),
    alongside: [listInsert(accountUpdateList, programId, entityId, update)],
  };
}

export function toAccountUpdateView({ entityId, createdAt, ...fields }: AccountUpdate): AccountUpdateView {
  return { updateId: entityId, ...fields, dateCreated: createdAt };
}

/** The numbers that it is about, before the vault has hashed them. */
const untold = z.object({ accountUpdate: z.enum(["number", "expiry"]), old: VaultCard, made: VaultCard });

/** The vault is asked after the commit: a lost number is stopped even if it does not answer. */
export const untoldUpdate = defineDeadline("tell_account_update", "normal", untold);

/** Each plastic gives one at most, as it is made or activated. */
export function untoldId(plasticId: string): string {
  return `update:${plasticId}`;
}

/** A new number is told at once, a later expiry once a plastic with it is active. */
export function untoldWrites(programId: string, old: Plastic, made: Plastic, dueAt: Date): WriteAction[] {
  const isNumber = old.numberId !== made.numberId;
  if (!isNumber && made.state !== "active") return [];
  const numbers = { old: toVaultCard(programId, old), made: toVaultCard(programId, made) };
  const common = { ownerId: programId, deadlineId: untoldId(made.plasticId), dueAt };
  const accountUpdate = isNumber ? "number" : "expiry";
  return [deadlinePut(untoldUpdate.at({ ...common, accountUpdate, ...numbers }))];
}
