import { EventType } from "../../contract/enums.ts";
import { readAllItems, toPartitionQuery } from "../../platform/table/query.ts";

/**
 * Whether an endpoint of the Program is told of each balance (`balance.changed`). Its Wallets stay
 * whole: a part does not show the Wallet's balance after an entry. Endpoints are read as they are
 * stored, since their room is above this one.
 */
export async function mustStayWhole(programId: string): Promise<boolean> {
  const endpoints = await readAllItems(toPartitionQuery(`${programId}#WEBHOOKS`, "ENDPOINT#"));
  return endpoints.some(
    ({ active, eventTypes }) =>
      active === true && Array.isArray(eventTypes) && eventTypes.includes(EventType.balanceChanged),
  );
}
