import type { StoredRecord } from "../../shared/lists/kind.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { accountUpdateList, accountUpdates, toAccountUpdateView } from "../../shared/plastics/plastic.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

export const listAccountUpdates: Operations["GET /account-updates"] = async ({ scope, query }) => {
  const { programId } = scope;
  const { cardId, kind } = query;
  const records =
    cardId === undefined
      ? { list: { programId, kind: accountUpdateList } }
      : { given: await accountUpdates.list(programId, cardId) };
  const view = (item: StoredRecord) => toAccountUpdateView(accountUpdates.parse(item));
  return listPage({ records, filters: { kind }, view }, query);
};
