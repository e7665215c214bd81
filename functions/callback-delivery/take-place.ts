import { now, timestamp } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { updateItem } from "../../shared/platform/table/update-item.ts";
import { webhookKey } from "../../shared/platform/table/webhook-keys.ts";

/** Longer than any attempt: after so long without a new one, places that killed senders have not given back are free again. */
const leaseMs = 20_000;

/** Sends that are under way to an endpoint, as they were last counted. */
export interface Places {
  readonly underWay?: number;
  readonly leasedUntil?: string;
}

/** Whether there seems to be a place left: where there is none, nothing needs to be written. */
export function hasPlace(known: Places | undefined, places: number): boolean {
  return (known?.underWay ?? 0) < places || String(known?.leasedUntil) < timestamp();
}

/**
 * Takes one of an endpoint's places for a send that is under way, whichever worker it is; false where all are taken. One write, whether or
 * not there is a place.
 */
export async function takePlace(programId: string, endpointId: string, places: number): Promise<boolean> {
  const at = now();
  const values = { ":until": timestamp(new Date(at.getTime() + leaseMs)), ":one": 1 };
  const place = {
    TableName: environment.issuingTable,
    Key: webhookKey.places(programId, endpointId),
  };
  const taken = await updateItem("places", {
    ...place,
    UpdateExpression: "SET leasedUntil = :until ADD underWay :one",
    ConditionExpression: "attribute_not_exists(underWay) OR underWay < :places",
    ExpressionAttributeValues: { ...values, ":places": places },
  });
  if (taken.updated) return true;
  if (String(taken.stored?.leasedUntil) >= timestamp(at)) return false;
  const freed = await updateItem("places", {
    ...place,
    UpdateExpression: "SET leasedUntil = :until, underWay = :one",
    ConditionExpression: "leasedUntil < :now",
    ExpressionAttributeValues: { ...values, ":now": timestamp(at) },
  });
  return freed.updated;
}

/** Gives a place back, unless it was freed meanwhile. */
export async function releasePlace(programId: string, endpointId: string): Promise<void> {
  await updateItem("places", {
    TableName: environment.issuingTable,
    Key: webhookKey.places(programId, endpointId),
    UpdateExpression: "ADD underWay :less",
    ConditionExpression: "underWay > :none",
    ExpressionAttributeValues: { ":less": -1, ":none": 0 },
  });
}
