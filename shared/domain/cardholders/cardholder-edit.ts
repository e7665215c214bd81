import type { CardholderUpdate } from "../../contract/cardholders.ts";
import { CardholderStatus } from "../../contract/enums.ts";
import { all, any, type Condition, differsFrom, exists, not, oneOf } from "../../platform/table/condition.ts";
import type { Cardholder } from "./cardholder.ts";

/** Reviewed by compliance; of an address, only its country. */
const lockedFields = ["firstName", "lastName", "dateOfBirth", "gender", "nationality"] as const;

const isLocked = { status: oneOf([CardholderStatus.underReview, CardholderStatus.approved]) };

/**
 * Sets the given fields. Requires that the Cardholder is not Deleted and, in Under Review and Approved, that
 * every locked field among them is unchanged.
 */
export function editCardholder(update: CardholderUpdate): {
  readonly set: Partial<Cardholder>;
  readonly condition: Condition<Cardholder>;
} {
  const set = Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined));
  const locked = Object.fromEntries(
    lockedFields.filter((name) => name in set).map((name) => [name, set[name]]),
  );
  if (update.address) locked["address.country"] = update.address.country;
  const unchanged: Condition<Cardholder>[] =
    Object.keys(locked).length > 0 ? [any<Cardholder>(not(isLocked), locked)] : [];
  return { set, condition: all(exists, { status: differsFrom(CardholderStatus.deleted) }, ...unchanged) };
}
