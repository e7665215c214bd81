import { EventType } from "../../contract/enums.ts";
import { readAllItems, toPartitionQuery } from "../../platform/table/query.ts";

/**
 * Whether an endpoint of the Program is told of each balance (`balance.changed`). Its Wallets stay
 * whole: of a part, nobody knows the Wallet's balance right after an entry. Read as the endpoints
 * are stored, whose room is above this one.
 */
export async function mustStayWhole(programId: string): Promise<boolean> {
  const endpoints = await readAllItems(toPartitionQuery(`${programId}#WEBHOOKS`, "ENDPOINT#"));
  return endpoints.some(
    ({ active, eventTypes }) =>
      active === true && Array.isArray(eventTypes) && eventTypes.includes(EventType.balanceChanged),
  );
}
