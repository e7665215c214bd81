import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBRecord } from "aws-lambda";
import type { ChosenEventType } from "../../../shared/contract/chosen-notifications.ts";
import type { EventType } from "../../../shared/contract/enums.ts";
import type { ToldItem } from "../../../shared/contract/outbox.ts";
import { changeIdTime } from "../../../shared/platform/id.ts";
import { whenChanged } from "../../../shared/platform/table/entity.ts";
import { unpackItem } from "../../../shared/platform/table/packed.ts";

export type Item = Readonly<Record<string, unknown>>;

/** What a commit did to one item. The stream has those of an item in order, each at least once. */
export interface ItemChange {
  readonly programId: string;
  /** The id in the item's key: of the account, where a transfer is stored with one. */
  readonly ownerId: string;
  readonly before: Item | undefined;
  readonly after: Item;
  /** When it was committed: rounded down to the second, and never earlier than the one before. */
  readonly committedAt: Date;
  /** When it was made, by the clock of who made it. */
  readonly madeAt: Date;
  readonly sequenceNumber: string;
}

/** What a change of an item tells those who named its type. */
export interface Notice {
  readonly eventType: ChosenEventType;
  readonly subjectId: string;
  readonly cardId?: string | undefined;
  readonly data: object;
  /** When it happened, if the item does not say. */
  readonly madeAt?: string | undefined;
  /** The record whose metadata the data has too: an item of its own, read as this is told. */
  readonly metadataOwnerId?: string | undefined;
}

type Told = readonly Notice[];
type Named = ReadonlySet<EventType>;

/** What must be read is read only for the types that are named. */
export type Notices = Readonly<Record<ToldItem, (change: ItemChange, named: Named) => Told | Promise<Told>>>;

/** @throws Error for an image that cannot be unpacked */
export function toItemChange({ dynamodb = {} }: DynamoDBRecord): ItemChange {
  const { NewImage, OldImage, ApproximateCreationDateTime = 0, SequenceNumber = "" } = dynamodb;
  const after = read(NewImage) ?? {};
  const [programId = "", ownerId = ""] = String(after.pk).split("#");
  return {
    programId,
    ownerId,
    before: read(OldImage),
    after,
    committedAt: new Date(Math.floor(ApproximateCreationDateTime) * 1000),
    madeAt: toMadeAt(after),
    sequenceNumber: SequenceNumber,
  };
}

function toMadeAt({ [whenChanged]: changed, createdAt }: Item): Date {
  return new Date(typeof changed === "string" ? changeIdTime(changed) : String(createdAt));
}

function read(image: unknown): Item | undefined {
  return image === undefined ? undefined : unpackItem(unmarshall(image as Record<string, AttributeValue>));
}
