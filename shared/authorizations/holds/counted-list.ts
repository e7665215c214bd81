import type { ControlScope } from "../../controls/usage.ts";
import { listInsert } from "../../lists/entry.ts";
import { defineList, type ListKind } from "../../lists/kind.ts";
import { timestamp } from "../../platform/clock.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { type Counted, transactions } from "../../transactions/transaction.ts";
import { holds } from "./hold.ts";

const ofControl = {
  carried: ["cardId", "authorizationId", "transId"],
  recordKey: ({ programId }, transId, { cardId, authorizationId }) =>
    authorizationId === undefined
      ? transactions.key(programId, String(cardId), transId)
      : holds.key(programId, String(authorizationId)),
} satisfies Partial<ListKind>;

/** `GET /controls/{controlId}/transactions`: each control has its own list of what it counted. */
export const countedList = defineList({ ...ofControl, name: "counted" });

/** The whole Program's controls count more: their list has more shards. */
export const programCountedList = defineList({ ...ofControl, name: "programCounted", shards: 16 });

/** The list of a control, by whose it is. */
export function chooseCountedList({
  cardId,
  cardholderId,
}: {
  cardId?: unknown;
  cardholderId?: unknown;
}): ListKind {
  return cardId === undefined && cardholderId === undefined ? programCountedList : countedList;
}

/** What an authorization, or what was posted without one, counts for. */
export interface CountedRecord {
  readonly card: { readonly programId: string; readonly cardId: string };
  readonly transId: string;
  readonly authorizationId?: string | undefined;
}

export function countedInserts(
  { card, transId, authorizationId }: CountedRecord,
  scopes: readonly ControlScope[],
  counted: readonly Counted[],
): WriteAction[] {
  const { programId, cardId } = card;
  const isOf = (wanted: ControlScope["owner"], controlId: string) =>
    scopes.some(
      ({ owner, controls }) => owner === wanted && controls.some((one) => one.controlId === controlId),
    );
  // A Card's limit is in no list.
  const listed = counted.filter(({ controlId }) => !isOf("limit", controlId));
  return listed.map(({ controlId, at }) => {
    const isProgram = isOf("program", controlId);
    const record = { cardId, authorizationId, transId, createdAt: timestamp(new Date(at)) };
    return listInsert(isProgram ? programCountedList : countedList, programId, transId, record, controlId);
  });
}
