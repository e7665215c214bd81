import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import type { Deadline } from "../../../shared/platform/deadline-kinds.ts";
import { deadlinePut, dueDeadlines } from "../../../shared/platform/deadlines.ts";
import { newId } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";

const dueAt = new Date("1999-01-01T00:00:00.000Z");
const ownerId = newId("program");
const [card, cardholder, delivery] = [newId("card"), newId("cardholder"), newId("event")];
const ids = { messageId: "ntf_1", endpointId: "whk_1", deliveryId: delivery };

it.each([
  ["urgent", "expire_hold", "hold:a:1", { kind: "expire_hold", authorizationId: "a:1" }],
  ["bulk", "charge_maintenance", `maintenance:${card}`, { kind: "charge_maintenance", cardId: card }],
  [
    "urgent",
    "apply_cardholder_block",
    `cardholder-block:${cardholder}:${delivery}`,
    { kind: "apply_cardholder_block", cardholderId: cardholder },
  ],
  [
    "normal",
    "retry_callback",
    `callback|3|ntf_1|whk_1|${delivery}`,
    {
      kind: "retry_delivery",
      delivery: { kind: "notification", programId: ownerId, ...ids, attempt: 3 },
    },
  ],
] as const)(
  "a deadline of the version before is found: %s, %s",
  async (priority, kind, deadlineId, found) => {
    const write = deadlinePut({ ...found, ownerId, deadlineId, dueAt } as Deadline);
    const { TableName, Item = {} } = "Put" in write ? write.Put : { TableName: "" };
    const { authorizationId: _a, cardId: _c, cardholderId: _h, delivery: _d, ...former } = Item;
    await table.send(new PutCommand({ TableName, Item: { ...former, kind } }));
    const due: unknown[] = [];
    for await (const deadline of dueDeadlines(priority, dueAt)) {
      if (deadline.deadlineId === deadlineId) due.push(deadline);
    }
    expect(due).toEqual([{ ownerId, deadlineId, dueAt, failures: 0, ...found }]);
  },
);
