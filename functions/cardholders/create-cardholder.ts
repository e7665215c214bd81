import { cardholderView, draftCardholder } from "../../shared/cardholder/cardholder.ts";
import { timestamp } from "../../shared/clock.ts";
import { environment } from "../../shared/environment.ts";
import { newId } from "../../shared/id.ts";
import { listedPut } from "../../shared/listing/change-row.ts";
import { transact } from "../../shared/table/transact.ts";
import { requireBorn } from "./date-of-birth.ts";
import type { CardholderOperations } from "./operations.ts";

/**
 * Creates a Cardholder as 4 Draft; nothing is reviewed until it is submitted.
 *
 * @throws ApiError VALIDATION_FAILED for a `dateOfBirth` in the future.
 */
export const createCardholder: CardholderOperations["POST /cardholders"] = async ({ scope, body }) => {
  requireBorn(body.dateOfBirth);
  const cardholder = draftCardholder(scope.programId, newId("cardholder"), body, timestamp());
  const { programId } = scope;
  await transact([
    {
      name: "cardholder",
      Put: { TableName: environment.issuingTable, Item: cardholder },
      alongside: [listedPut("cardholders", programId, cardholder.entityId, cardholder)],
    },
  ]);
  return cardholderView(cardholder);
};
