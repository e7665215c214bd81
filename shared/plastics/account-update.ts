import * as z from "zod";
import { AccountUpdateKind, type AccountUpdateView } from "../contract/account-updates.ts";
import { VaultCard } from "../contract/vault.ts";
import { listInsert } from "../lists/entry.ts";
import type { ListKind } from "../lists/kind.ts";
import { deadlinePut, defineDeadline } from "../platform/deadlines.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Plastic, toVaultCard } from "./plastic.ts";

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
export type AccountUpdate = Readonly<z.output<typeof AccountUpdate>>;

export const accountUpdates = defineEntity({
  name: "account update",
  schema: AccountUpdate,
  key: (programId: string, cardId: string, updateId: string) => ({
    pk: `${programId}#${cardId}`,
    sk: `ACCOUNT_UPDATE#${updateId}`,
  }),
});

export const accountUpdateList: ListKind = {
  name: "accountUpdates",
  filters: ["kind"],
  orders: [],
  carried: ["cardId"],
  shards: 1,
  recordKey: ({ programId }, updateId, { cardId }) => accountUpdates.key(programId, String(cardId), updateId),
};

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
