import type { ListKind, StoredRecord } from "../../shared/lists/kind.ts";
import { type ListedRecords, listPage } from "../../shared/lists/list-page.ts";
import { inLanes } from "../../shared/platform/in-lanes.ts";

/** Works on eight at a time, and joins the results. */
export async function inTurns<In, Out>(
  all: readonly In[],
  work: (one: In) => Promise<readonly Out[]>,
): Promise<Out[]> {
  return (await inLanes(all, work, 8)).flat();
}

interface Wanted<View> extends Omit<ListedRecords<StoredRecord, View>, "records" | "orders"> {
  readonly limit: number;
  readonly orderBy?: "createdAt" | "entityId";
  readonly sort?: "asc" | "desc";
}

/** The first records of a Program's list, by default the newest. */
export function readList<View>(
  programId: string,
  kind: ListKind,
  { limit, orderBy = "createdAt", sort = "desc", ...listing }: Wanted<View>,
) {
  const orders = { [orderBy]: orderBy };
  return listPage(
    { records: { list: { programId, kind } }, orders, ...listing },
    { orderBy, sort, limit, offset: 0 },
  );
}
