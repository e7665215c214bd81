import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Merchant } from "../../contract/card-network.ts";
import { timestamp } from "../../platform/clock.ts";
import { deadlineDelete, deadlinePut } from "../../platform/deadlines.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { StoredItem, WriteAction } from "../../platform/table/transact.ts";
import type { RecordedCard } from "../transactions/transaction.ts";
import { holdListChange } from "./hold-list.ts";

/**
 * A hold's amount follows from these in any order of events: a clearing, reversal or expiry may precede its
 * authorization.
 */
export interface HoldState {
  /** The authorization, its approved increments and its advices. */
  readonly authorizedMinor: number;
  /** Partial reversals and clearings that are not final; the network may release more than was authorized. */
  readonly releasedMinor: number;
  /** What finished the authorization. From then on it holds nothing. */
  readonly closedBy?: HoldClosure | undefined;
}

export type HoldClosure = "cleared" | "reversed" | "expired" | "declined";

/** An authorization and its hold, in minor units. Written by whichever of its events arrives first. */
export interface Hold extends HoldState, RecordedCard {
  /** The network's reference. */
  readonly authorizationId: string;
  /** Counts the writes; each requires that it is the next. */
  readonly version: number;
  /** The authorization was answered: a second one with the reference is rejected. */
  readonly decided?: boolean | undefined;
  /** What was settled for it, released or not. */
  readonly clearedMinor: number;
  readonly merchant: Merchant;
  readonly createdAt: string;
  /** When it last began to hold an amount; its expiry counts from then. */
  readonly heldSince?: string | undefined;
}

export const noHold: HoldState = { authorizedMinor: 0, releasedMinor: 0 };

/** The amount of the hold: never negative, 0 once the authorization is finished. */
export function outstandingMinor({ authorizedMinor, releasedMinor, closedBy }: HoldState): number {
  return closedBy ? 0 : Math.max(0, authorizedMinor - releasedMinor);
}

export function increaseHold<S extends HoldState>(state: S, amountMinor: number): S {
  return { ...state, authorizedMinor: state.authorizedMinor + amountMinor };
}

export function decreaseHold<S extends HoldState>(state: S, amountMinor: number): S {
  return { ...state, releasedMinor: state.releasedMinor + amountMinor };
}

/** The first closure stands. */
export function closeHold<S extends HoldState>(state: S, closedBy: HoldClosure): S {
  return { ...state, closedBy: state.closedBy ?? closedBy };
}

export function emptyHold(card: RecordedCard, authorizationId: string, createdAt: string): Hold {
  const { programId, cardId, cardholderId, currency } = card;
  const owner = { programId, cardId, cardholderId, currency };
  return { ...noHold, ...owner, authorizationId, version: 0, clearedMinor: 0, merchant: {}, createdAt };
}

export async function readHold(programId: string, authorizationId: string): Promise<Hold | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: issuingKey.hold(programId, authorizationId),
      ConsistentRead: true,
    }),
  );
  return toHold(Item);
}

export function toHold(item: StoredItem): Hold | undefined {
  if (!item) return undefined;
  const { pk: _pk, sk: _sk, ...hold } = item;
  return hold as unknown as Hold;
}

/** A hold that the network never resolves expires after this. */
const lifetimeMs = 7 * 86_400_000;

export function holdDueAt({ heldSince, createdAt }: Hold): Date {
  return new Date(Date.parse(heldSince ?? createdAt) + lifetimeMs);
}

/**
 * Replaces `before` by `after` if unchanged (condition `hold`), with the deadline, which exists while the
 * hold is not 0, and the sum in the list of transactions.
 */
export function holdWrites(before: Hold, after: Hold, at: Date): WriteAction[] {
  const { programId, authorizationId } = after;
  const [heldBefore, held] = [outstandingMinor(before), outstandingMinor(after)];
  const begins = held > 0 && heldBefore === 0;
  const ends = held === 0 && heldBefore > 0;
  const change = held - heldBefore;
  const deadlineId = holdDeadlineId(authorizationId);
  const dueAt = new Date(at.getTime() + lifetimeMs);
  return [
    {
      name: "hold",
      Put: {
        TableName: environment.issuingTable,
        Item: {
          ...issuingKey.hold(programId, authorizationId),
          ...after,
          version: before.version + 1,
          outstandingMinor: held,
          ...(begins && { heldSince: timestamp(at) }),
        },
        ...(before.version === 0
          ? { ConditionExpression: "attribute_not_exists(pk)" }
          : {
              ConditionExpression: "version = :version",
              ExpressionAttributeValues: { ":version": before.version },
            }),
      },
      ...(change !== 0 && { alongside: [holdListChange(programId, change)] }),
    },
    ...(begins
      ? [deadlinePut({ ownerId: programId, deadlineId, kind: "expire_hold", authorizationId, dueAt })]
      : []),
    ...(ends ? [deadlineDelete(programId, deadlineId)] : []),
  ];
}

/** The network chooses its references: the prefix keeps them apart from the platform's own ids. */
export function holdDeadlineId(authorizationId: string): string {
  return `hold:${authorizationId}`;
}
