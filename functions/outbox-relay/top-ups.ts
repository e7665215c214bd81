import type { DynamoDBRecord } from "aws-lambda";
import { CardStatus } from "../../shared/contract/enums.ts";
import type { OutboxEvent } from "../../shared/contract/outbox.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { newId } from "../../shared/platform/id.ts";

type Image = NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"];

/**
 * The job of a Card that is below its threshold, by its item alone. One is enough for a batch: it
 * looks at the Card as it is then. A Card without top-up is told by one attribute that it lacks.
 */
export function dueTopUps(): (image: Image) => OutboxEvent | undefined {
  const found = new Set<string>();
  return (image) => {
    if (!isDue(image)) return undefined;
    const [programId = "", cardId = ""] = String(image?.pk?.S).split("#");
    if (found.has(cardId)) return undefined;
    found.add(cardId);
    return {
      eventId: newId("event"),
      kind: "top_up.due",
      programId,
      occurredAt: timestamp(),
      detail: { cardId },
    };
  };
}

function isDue(image: Image): boolean {
  const below = image?.topUpBelowMinor?.N;
  if (below === undefined || Number(image?.availableMinor?.N) >= Number(below)) return false;
  const isBlocked = image?.blockedAt !== undefined || image?.cardholderBlockedAt !== undefined;
  return image?.issuerCardStatus?.N === String(CardStatus.active) && !isBlocked;
}
