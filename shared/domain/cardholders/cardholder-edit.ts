import type { CardholderUpdate } from "../../contract/cardholders.ts";
import { CardholderStatus } from "../../contract/enums.ts";

/** Fields that compliance has looked at; an address counts by its country alone. */
const lockedFields = ["firstName", "lastName", "dateOfBirth", "gender", "nationality"] as const;

/** The parts of an update that follow from an edit. */
export interface Edit {
  readonly UpdateExpression?: string;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues: Record<string, unknown>;
}

/**
 * The conditional update that sets the given fields. Its condition alone decides, in the moment of the write: not Deleted, and in
 * Under Review and Approved every locked field that is given has the value that is stored.
 */
export function editing(update: CardholderUpdate): Edit {
  const fields = Object.entries(update).filter(([, value]) => value !== undefined);
  const names = Object.fromEntries(fields.map(([field]) => [`#${field}`, field]));
  const values: Record<string, unknown> = Object.fromEntries(
    fields.map(([field, value]) => [`:${field}`, value]),
  );
  const unchanged = lockedFields
    .filter((field) => update[field] !== undefined)
    .map((field) => `#${field} = :${field}`);
  if (update.address) {
    names["#country"] = "country";
    values[":country"] = update.address.country;
    unchanged.push("#address.#country = :country");
  }
  const condition = ["attribute_exists(pk)", "#status <> :deleted"];
  if (unchanged.length > 0) {
    values[":underReview"] = CardholderStatus.underReview;
    values[":approved"] = CardholderStatus.approved;
    condition.push(`(NOT #status IN (:underReview, :approved) OR (${unchanged.join(" AND ")}))`);
  }
  return {
    ...(fields.length > 0 && {
      UpdateExpression: `SET ${fields.map(([field]) => `#${field} = :${field}`).join(", ")}`,
    }),
    ConditionExpression: condition.join(" AND "),
    ExpressionAttributeNames: { ...names, "#status": "status" },
    ExpressionAttributeValues: { ...values, ":deleted": CardholderStatus.deleted },
  };
}
