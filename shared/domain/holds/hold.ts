import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Currency } from "../../contract/enums.ts";
import type { Merchant } from "../../contract/merchant.ts";
import { changePut } from "../../lists/change-row.ts";
import type { Entry } from "../../lists/entry.ts";
import { timestamp } from "../../platform/clock.ts";
import { deadlineDelete, deadlinePut } from "../../platform/deadlines/deadline.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { StoredItem, WriteAction } from "../../platform/table/transact.ts";
import type { CardIdentity } from "../cards/card-identity.ts";
import { type HoldState, noHold, outstandingMinor } from "./hold-state.ts";

/** What is known of an authorization and held for it, amounts in minor units. Written by the first of its events, whichever that is. */
export interface Hold extends HoldState {
  readonly programId: string;
  /** The network's reference. */
  readonly authorizationId: string;
  readonly cardId: string;
  readonly cardholderId: string;
  readonly currency: Currency;
  /** Counts the writes; each requires that it is the next. */
  readonly version: number;
  /** The authorization itself was answered: there is no second one by the same reference. */
  readonly decided?: boolean | undefined;
  /** What was settled for it, released or not. */
  readonly clearedMinor: number;
  /** What the authorization told of the merchant. */
  readonly merchant: Merchant;
  readonly createdAt: string;
  /** When it last began to hold something, from which its expiry counts. */
  readonly heldSince?: string | undefined;
}

/** A hold that the network does not resolve is released after so long. */
const lifetimeMs = 7 * 86_400_000;

/** When what is held expires. */
export function holdDueAt({ heldSince, createdAt }: Hold): Date {
  return new Date(Date.parse(heldSince ?? createdAt) + lifetimeMs);
}

/** An authorization of which nothing is known yet. */
export function unknownHold(identity: CardIdentity, authorizationId: string, createdAt: string): Hold {
  const { programId, cardId, cardholderId, currency } = identity;
  return {
    ...noHold,
    programId,
    authorizationId,
    cardId,
    cardholderId,
    currency,
    version: 0,
    clearedMinor: 0,
    merchant: {},
    createdAt,
  };
}

/** The hold as it is now, consistently read; undefined where nothing of the authorization has arrived. */
export async function readHold(programId: string, authorizationId: string): Promise<Hold | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: issuingKey.hold(programId, authorizationId),
      ConsistentRead: true,
    }),
  );
  return holdOf(Item);
}

/** The hold in its item, without what is there for keys and lists alone. */
export function holdOf(item: StoredItem): Hold | undefined {
  if (!item) return undefined;
  const { pk: _pk, sk: _sk, ...hold } = item;
  return hold as unknown as Hold;
}

/**
 * The writes that make `before` into `after`: the hold, while nobody else has changed it, and its deadline, which is there as long as
 * something is held. What is held more or less than before goes into the sum that the list of transactions shows. The refusal is named `hold`.
 */
export function holdWrites(before: Hold, after: Hold, at: Date): WriteAction[] {
  const { programId, authorizationId } = after;
  const held = outstandingMinor(after);
  const heldMore = held - outstandingMinor(before);
  const began = held > 0 && outstandingMinor(before) === 0;
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
          ...(began && { heldSince: timestamp(at) }),
        },
        ...(before.version === 0
          ? { ConditionExpression: "attribute_not_exists(pk)" }
          : {
              ConditionExpression: "version = :version",
              ExpressionAttributeValues: { ":version": before.version },
            }),
      },
      ...(heldMore !== 0 && { alongside: [changePut({ programId, kind: "holds" }, [heldEntry(heldMore)])] }),
    },
    ...(began ? [deadlinePut({ ownerId: programId, deadlineId, kind: "expire_hold", dueAt })] : []),
    ...(held === 0 && outstandingMinor(before) > 0 ? [deadlineDelete(programId, deadlineId)] : []),
  ];
}

/** All holds of a Program are one entry, whose weight is what they come to in minor units. */
export function heldEntry(weight: number): Entry {
  return { id: "held", createdAt: 0, values: [], weight };
}

const deadlinePrefix = "hold:";

/** The network chooses its references: the prefix keeps them apart from the platform's own ids. */
export function holdDeadlineId(authorizationId: string): string {
  return `${deadlinePrefix}${authorizationId}`;
}

export function authorizationOfDeadline(deadlineId: string): string {
  return deadlineId.slice(deadlinePrefix.length);
}
