import { isDeepStrictEqual } from "node:util";

type Row = Readonly<Record<string, unknown>>;
type Page = { readonly items: readonly Row[]; readonly total: number };
type Read = (
  route: string,
  options: { path?: Record<string, string>; query?: Record<string, string> },
) => Promise<unknown>;

const sums = ["authorizedAmount", "releasedAmount", "clearedAmount", "refundedAmount"] as const;

/**
 * The laws that a Card's authorizations break. Where a receiver is asked about cash, the line of
 * open holds has that too.
 */
export async function brokenLaws(
  read: Read,
  { cardId, heldMinor, hasReceiver }: { cardId: string; heldMinor: number; hasReceiver: boolean },
): Promise<string[]> {
  const query = { limit: "200", orderBy: "authorizationId" };
  const [ofCard, ofProgram] = (await Promise.all([
    read("GET /authorizations", { query: { ...query, cardId } }),
    read("GET /authorizations", { query }),
  ])) as [Page, Page];
  const remaining = ofCard.items.reduce((sum, { remainingAmount }) => sum + Number(remainingAmount), 0);
  const isSum = hasReceiver ? remaining <= heldMinor : remaining === heldMinor;
  const each = await Promise.all(ofCard.items.map((row) => brokenBy(row, read)));
  return [
    ...(isSum ? [] : [`The remaining amounts add up to ${remaining}, not to ${heldMinor}.`]),
    ...(isDeepStrictEqual(ofCard, ofProgram) ? [] : ["The Card's list is not the Program's."]),
    ...each.flat(),
  ];
}

async function brokenBy(row: Row, read: Read): Promise<string[]> {
  const authorizationId = String(row.authorizationId);
  const path = { authorizationId };
  const [detail, { items, total }, transactions] = (await Promise.all([
    read("GET /authorizations/{authorizationId}", { path }),
    read("GET /authorizations/{authorizationId}/events", { path, query: { limit: "200" } }),
    read("GET /cards/transactions", { query: { authorizationId, limit: "200" } }),
  ])) as [{ data: Row & { events: readonly Row[] } }, Page, Page];
  const { events, ...view } = detail.data;
  const broken: string[] = [];
  const require = (law: boolean, what: string) => {
    if (!law) broken.push(`${what}: ${JSON.stringify({ ...row, events: items })}`);
  };
  const amount = (name: string, of: Row = row) => Number(of[name]);
  for (const name of sums) {
    require(amount(name) === items.reduce((sum, one) => sum + amount(name, one), 0), `no sum of ${name}`);
    require(items.every((one) => amount(name, one) >= 0), `negative ${name}`);
  }
  const open = amount("authorizedAmount") - amount("releasedAmount") - amount("clearedAmount");
  const isPending = row.status === "pending";
  const isAsked = amount("remainingAmount") > Math.max(0, open);
  require(isAsked || amount("remainingAmount") === (isPending ? Math.max(0, open) : 0), "wrong rest");
  require(isPending || open <= 0, "not all is released");
  require(isPending || (row.status === "cleared") === amount("clearedAmount") > 0, "wrong status");
  require(amount("requestedAmount") >= amount("authorizedAmount"), "more than requested");
  require(isDeepStrictEqual(view, row), "the view is not the list's");
  require(isDeepStrictEqual(events, items.slice(-100)), "the events are not the newest");
  require(total === row.eventCount && items.length === Math.min(200, total), "events are missing");
  require(new Set(items.map(({ eventId }) => eventId)).size === items.length, "an event is there twice");
  const isDeclinedRow = ({ outcome }: Row) => outcome === "declined";
  const listed = items.filter((one) => !isDeclinedRow(one)).flatMap(({ transId }) => transId ?? []);
  require(isDeepStrictEqual(
    transactions.items.map(({ transId }) => transId).toSorted(),
    listed.toSorted(),
  ), "other transactions");
  require(items.filter(isDeclinedRow).every(({ declineMessage }) => Boolean(declineMessage)), "no message");
  return broken;
}
