import { type Bulk, beginBulk, bulkList, bulks, toBulkView } from "../../shared/bulk/bulk.ts";
import { bulkResults, readResults, type StoredResult, toResultView } from "../../shared/bulk/result.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";

/** @throws ApiError LIMIT_REACHED */
export const createCardholders: Operations["POST /cardholders/bulk"] = async (request) =>
  toBulkView(await beginBulk(request, "cardholders"));

/** @throws ApiError LIMIT_REACHED */
export const issueCards: Operations["POST /cards/bulk"] = async (request) =>
  toBulkView(await beginBulk(request, "cards"));

export const listBulks: Operations["GET /bulk"] = ({ scope, query }) =>
  listPage(
    {
      records: { list: { programId: scope.programId, kind: bulkList } },
      orders: { bulkId: "entityId" },
      filters: { kind: query.kind, status: query.status },
      view: (item) => toBulkView(bulks.parse(item)),
    },
    query,
  );

export const viewBulk: Operations["GET /bulk/{bulkId}"] = async ({ scope, path }) =>
  toBulkView(await bulks.at(scope.programId, path.bulkId).require());

export const listResults: Operations["GET /bulk/{bulkId}/results"] = async ({ scope, path, query }) => {
  const { programId } = scope;
  const bulk = await bulks.at(programId, path.bulkId).require();
  const isWhole = [query.status, query.before, query.after].every((filter) => filter === undefined);
  if (bulk.status === "done" && isWhole) return wholePage(programId, bulk, query);
  const results = await readResults(programId, bulk);
  const given = results.map((result) => ({ ...result, entityId: String(result.line).padStart(6, "0") }));
  const filters = { status: query.status };
  return listPage({ records: { given }, orders: { line: "entityId" }, filters, view }, query);
};

const view = (item: unknown) => toResultView(item as StoredResult);

interface Page {
  readonly sort: "asc" | "desc";
  readonly limit: number;
  readonly offset: number;
}

/** Every line has a result: those of the page are read, and no others. */
async function wholePage(programId: string, { entityId, lines }: Bulk, { sort, limit, offset }: Page) {
  const count = Math.max(0, Math.min(limit, lines - offset));
  const numbers = Array.from({ length: count }, (_, index) =>
    sort === "asc" ? offset + index + 1 : lines - offset - index,
  );
  const found = await readBatch(numbers.map((number) => bulkResults.key(programId, entityId, number)));
  const results = found.map((item) => bulkResults.parse(item));
  results.sort((one, other) => (sort === "asc" ? one.line - other.line : other.line - one.line));
  return { items: results.map(toResultView), total: lines };
}
