import { answerRequest } from "../../shared/changes/execute.ts";
import { archival } from "../../shared/external-accounts/account-changes.ts";
import {
  externalAccountList,
  externalAccounts,
  readExternalAccount,
  toExternalAccountView,
} from "../../shared/external-accounts/external-account.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { auditRequest } from "../../shared/tenancy/audit-log.ts";

export const listExternalAccounts: Operations["GET /external-accounts"] = ({ scope, query }) => {
  const { programId } = scope;
  const { status, cardholderId } = query;
  return listPage(
    {
      records: { list: { programId, kind: externalAccountList } },
      orders: { externalAccountId: "entityId" },
      filters: { status, cardholderId },
      view: (stored) => toExternalAccountView(externalAccounts.parse(stored)),
    },
    query,
  );
};

export const viewExternalAccount: Operations["GET /external-accounts/{externalAccountId}"] = async ({
  scope,
  path,
}) => toExternalAccountView(await readExternalAccount(scope.programId, path.externalAccountId));

export const deleteExternalAccount: Operations["DELETE /external-accounts/{externalAccountId}"] = async (
  request,
) => {
  const { programId } = request.scope;
  const { externalAccountId } = request.path;
  const archived = await answerRequest(
    archival,
    {
      ...{ programId, externalAccountId },
      audit: (before, after) =>
        auditRequest(request, "external-account.delete", externalAccountId, {
          before: { status: before.status },
          after: { status: after.status },
        }),
    },
    undefined,
  );
  return toExternalAccountView(archived);
};
