import {
  cardholderList,
  cardholders,
  draftCardholder,
  toCardholderView,
} from "../../shared/domain/cardholders/cardholder.ts";
import { listInsert } from "../../shared/lists/change.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { newId } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { requireBorn } from "./date-of-birth.ts";
import type { CardholderOperations } from "./operations.ts";

/**
 * A new Cardholder is 4 Draft and is not reviewed until it is submitted.
 * @throws ApiError VALIDATION_FAILED for a `dateOfBirth` in the future
 */
export const createCardholder: CardholderOperations["POST /cardholders"] = async ({ scope, body }) => {
  requireBorn(body.dateOfBirth);
  const cardholder = draftCardholder(newId("cardholder"), body, timestamp());
  const { programId } = scope;
  await transact([
    {
      ...cardholders.at(programId, cardholder.entityId).put(cardholder),
      alongside: [listInsert(cardholderList, programId, cardholder.entityId, cardholder)],
    },
  ]);
  return toCardholderView(cardholder);
};
