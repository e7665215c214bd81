import { now, timestamp } from "../../shared/clock.ts";
import { environment } from "../../shared/environment.ts";
import { newId, randomInteger } from "../../shared/id.ts";
import type { Key } from "../../shared/table/keys.ts";
import { transact } from "../../shared/table/transact.ts";
import { updateItem } from "../../shared/table/update-item.ts";
import { webhookKey } from "../../shared/table/webhook-keys.ts";

/** Longer than any attempt: what a killed sender has taken is free again then. */
const leaseMs = 20_000;

/** A place that was taken. */
export interface Place {
  readonly key: Key;
  readonly leaseId: string;
}

/** Takes one of an endpoint's places for a send that is under way, whichever worker it is; undefined where all are taken. */
export async function takePlace(
  programId: string,
  endpointId: string,
  places: number,
): Promise<Place | undefined> {
  const first = randomInteger(0, places);
  const leaseId = newId("event");
  for (let offset = 0; offset < places; offset += 1) {
    const key = webhookKey.lease(programId, endpointId, (first + offset) % places);
    const at = now();
    const outcome = await updateItem("place", {
      TableName: environment.issuingTable,
      Key: key,
      UpdateExpression: "SET leaseId = :leaseId, leasedUntil = :until",
      ConditionExpression: "attribute_not_exists(pk) OR leasedUntil < :now",
      ExpressionAttributeValues: {
        ":leaseId": leaseId,
        ":until": timestamp(new Date(at.getTime() + leaseMs)),
        ":now": timestamp(at),
      },
    });
    if (outcome.updated) return { key, leaseId };
  }
  return undefined;
}

/** Gives a place back, unless its time has passed and somebody else has it. */
export async function releasePlace({ key, leaseId }: Place): Promise<void> {
  await transact([
    {
      name: "place",
      Delete: {
        TableName: environment.issuingTable,
        Key: key,
        ConditionExpression: "leaseId = :leaseId",
        ExpressionAttributeValues: { ":leaseId": leaseId },
      },
    },
  ]);
}
