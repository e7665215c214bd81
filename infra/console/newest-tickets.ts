import { environment } from "../../shared/platform/environment.ts";
import { idStart } from "../../shared/platform/id.ts";
import { afterAll } from "../../shared/platform/table/keys.ts";
import { readItems, toPartitionQuery } from "../../shared/platform/table/query.ts";
import { tickets } from "../../shared/tenancy/tickets/ticket.ts";
import type { Item } from "./page.ts";

/** A Tenant's tickets, the newest first; with `until`, a ULID, those that are not newer. */
export async function newestTickets(tenantId: string, most: number, until = afterAll): Promise<Item[]> {
  const first = tickets.key(tenantId, idStart("ticket"));
  const keys = { first: first.sk, last: `${first.sk}${until}` };
  const query = toPartitionQuery(first.pk, keys, environment.issuingTable);
  const found: Item[] = [];
  for await (const item of readItems({ ...query, ScanIndexForward: false, Limit: most })) {
    found.push(item);
    if (found.length === most) break;
  }
  return found;
}
