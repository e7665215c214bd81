import { toAuthorizationView, toEventView } from "../../shared/authorizations/authorization-view.ts";
import {
  authorizationList,
  type findStatus,
  isAuthorization,
  toListed,
} from "../../shared/authorizations/holds/history.ts";
import { type Hold, holds } from "../../shared/authorizations/holds/hold.ts";
import { readEvents } from "../../shared/authorizations/holds/named-events.ts";
import { listCardIds } from "../../shared/cards/cards-of-cardholder.ts";
import { journalEntries } from "../../shared/ledger/journal-entry.ts";
import type { StoredRecord } from "../../shared/lists/kind.ts";
import { listPage, type Records, readPartitions } from "../../shared/lists/list-page.ts";
import { searchKey } from "../../shared/lists/search-key.ts";
import { now } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { earliestId } from "../../shared/platform/id.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { afterAll } from "../../shared/platform/table/keys.ts";
import { readAllItems, toPartitionQuery } from "../../shared/platform/table/query.ts";
import { transactions } from "../../shared/transactions/transaction.ts";

type List = Operations["GET /authorizations"];
type Query = Parameters<List>[0]["query"];

/** Also those that were declined, or are asked about. */
export const listAuthorizations: List = ({ scope: { programId }, query }) => {
  const { cardholderId, status } = query;
  return listPage(
    {
      records: findAuthorizations(programId, query),
      orders: { authorizationId: "entityId", requestedAmount: "requestedMinor" },
      filters: { status, ...(cardholderId !== undefined && { cardholderId }) },
      whereCarried: carriedCondition(query),
      where: merchantCondition(query),
      view: (record: Listed) => toAuthorizationView(holds.parse(record), record.status),
    },
    query,
  );
};

type Listed = Hold & { readonly status: ReturnType<typeof findStatus> };
/** What the list carries for it. Undefined if nothing of it is asked for. */
function carriedCondition({ mcc, merchantCountry, amountFrom, amountTo }: Query) {
  if ([mcc, merchantCountry, amountFrom, amountTo].every((one) => one === undefined)) return undefined;
  return (known: StoredRecord): boolean => {
    const requestedMinor = Number(known.requestedMinor);
    return (
      (mcc === undefined || known.mcc === mcc) &&
      (merchantCountry === undefined || known.merchantCountry === merchantCountry) &&
      (amountFrom === undefined || requestedMinor >= amountFrom) &&
      (amountTo === undefined || requestedMinor <= amountTo)
    );
  };
}

/** What only the holds know. */
function merchantCondition({ merchant, merchantId }: Query) {
  if (merchant === undefined && merchantId === undefined) return undefined;
  const begin = merchant === undefined ? undefined : searchKey(merchant);
  return ({ merchant: known }: Listed): boolean =>
    (merchantId === undefined || known.merchantId === merchantId) &&
    (begin === undefined || (begin !== "" && searchKey(known.merchantName ?? "").startsWith(begin)));
}

/** The whole list of a Program; of Cards, those that their records name. */
async function findAuthorizations(programId: string, query: Query): Promise<Records> {
  const { cardId, cardholderId } = query;
  if (cardId === undefined && cardholderId === undefined)
    return { list: { programId, kind: authorizationList } };
  const cardIds = cardId === undefined ? await listCardIds(programId, cardholderId ?? "") : [cardId];
  const partitions = cardIds.map((id) => transactions.key(programId, id, ""));
  const recorded = await readPartitions({ partitions, ids: "transaction" }, query);
  const open = (await Promise.all(cardIds.map((id) => readOpenIds(programId, id)))).flat();
  const named = recorded.map(({ authorizationId }) => authorizationId).filter((id) => id !== undefined);
  const ids = new Set([...(named as string[]), ...open]);
  const items = await readBatch([...ids].map((id) => holds.key(programId, id)));
  return { given: items.map((item) => toListed(holds.parse(item))).filter((record) => record !== undefined) };
}

/** Longer than a question can be open: until it is decided, only the journal names it. */
const questionMs = 3_600_000;

async function readOpenIds(programId: string, cardId: string): Promise<string[]> {
  const first = journalEntries.key(
    programId,
    cardId,
    earliestId("journalEntry", new Date(now().getTime() - questionMs)),
  );
  const query = toPartitionQuery(first.pk, { first: first.sk, last: `ENTRY#${afterAll}` });
  const entries = await readAllItems(query);
  return entries.filter(({ kind }) => kind === "hold_reserved").map(({ relatedId }) => String(relatedId));
}

/** @throws ApiError NOT_FOUND, also for cash */
async function getAuthorization(programId: string, authorizationId: string): Promise<Hold> {
  const hold = await holds.at(programId, authorizationId).require();
  if (!isAuthorization(hold)) throw new ApiError("NOT_FOUND");
  return hold;
}

const shownEvents = 100;

export const viewAuthorization: Operations["GET /authorizations/{authorizationId}"] = async ({
  scope: { programId },
  path: { authorizationId },
}) => {
  const hold = await getAuthorization(programId, authorizationId);
  const events = await readEvents(hold, shownEvents);
  return { ...toAuthorizationView(hold), events: events.slice(-shownEvents).map(toEventView) };
};

export const listAuthorizationEvents: Operations["GET /authorizations/{authorizationId}/events"] = async ({
  scope: { programId },
  path: { authorizationId },
  query,
}) => {
  const found = await readEvents(await getAuthorization(programId, authorizationId));
  const records = { given: found.map((one) => ({ ...one, entityId: one.transId })) };
  return listPage({ records, view: toEventView }, query);
};
