import { listHistory } from "../../shared/lists/history.ts";
import type { StoredRecord } from "../../shared/lists/kind.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { soughtAmount } from "../../shared/lists/sought.ts";
import { paymentEvents, payments, payoutList } from "../../shared/payments/payment.ts";
import { payouts, toPayoutEventView, toPayoutView } from "../../shared/payments/payout.ts";
import { requirePayout } from "../../shared/payments/payout-request.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { findKeys } from "../../shared/platform/labels.ts";

export const listPayouts: Operations["GET /payouts"] = async ({ scope: { programId }, query }) => {
  const { walletId, externalAccountId, status, externalId } = query;
  return listPage(
    {
      records:
        externalId === undefined
          ? { list: { programId, kind: payoutList } }
          : { keys: await findKeys(programId, "payout", externalId, payments.key) },
      orders: { dateCreated: "createdAt", payoutId: "entityId", amount: "amountMinor" },
      filters: { walletId, externalAccountId, status },
      sought: soughtAmount(query),
      view: (stored: StoredRecord) => toPayoutView(payouts.parse(stored)),
    },
    query,
  );
};

/** @throws ApiError NOT_FOUND */
export const viewPayout: Operations["GET /payouts/{payoutId}"] = async ({ scope, path }) =>
  toPayoutView(await requirePayout(scope.programId, path.payoutId));

/** @throws ApiError NOT_FOUND */
export const listPayoutEvents: Operations["GET /payouts/{payoutId}/events"] = async ({
  scope,
  path,
  query,
}) => {
  await requirePayout(scope.programId, path.payoutId);
  return listHistory(
    paymentEvents.records(scope.programId, path.payoutId),
    (stored) => toPayoutEventView(paymentEvents.parse(stored)),
    query,
  );
};
