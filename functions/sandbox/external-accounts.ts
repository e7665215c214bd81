import { accountEvents } from "../../shared/external-accounts/account-changes.ts";
import {
  readExternalAccount,
  toExternalAccountView,
} from "../../shared/external-accounts/external-account.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { apply } from "./execute-event.ts";

/** Answers the check as the account's bank does. */
export const checkExternalAccount: Operations["POST /external-accounts/{externalAccountId}/check"] = async ({
  scope: { programId },
  path: { externalAccountId },
  body,
}) => {
  const event = { kind: "account_checked", eventId: newId("event"), programId, externalAccountId } as const;
  await apply(accountEvents.account_checked, { ...event, ...body });
  return toExternalAccountView(await readExternalAccount(programId, externalAccountId));
};

/** NOT_FOUND where the last verification is of another method. */
export const viewMicroDeposits: Operations["GET /external-accounts/{externalAccountId}/micro-deposits"] =
  async ({ scope, path }) => {
    const { microDeposits } = await readExternalAccount(scope.programId, path.externalAccountId);
    if (!microDeposits) throw new ApiError("NOT_FOUND");
    return { amounts: [...microDeposits.amounts] };
  };
