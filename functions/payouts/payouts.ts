import type { Page } from "../../shared/lists/indexed-page.ts";
import type { StoredRecord } from "../../shared/lists/kind.ts";
import { listHistory, listPage } from "../../shared/lists/list-page.ts";
import { soughtAmount } from "../../shared/lists/sought.ts";
import { paymentEvents, payments, payoutList, pullList } from "../../shared/payments/payment.ts";
import { payouts, toPayoutEventView, toPayoutView } from "../../shared/payments/payout.ts";
import { requirePayout } from "../../shared/payments/payout-request.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { findNamed } from "../../shared/platform/labels.ts";

export const listPayouts: Operations["GET /payouts"] = ({ scope, query }) =>
  listPayments("payout", scope.programId, query, (stored) => toPayoutView(payouts.parse(stored)));

/** A page of payouts, or of pulls. */
export async function listPayments<V>(
  kind: "payout" | "pull",
  programId: string,
  query: Parameters<Operations["GET /payouts" | "GET /pulls"]>[0]["query"],
  view: (stored: StoredRecord) => V,
): Promise<Page<V>> {
  const { walletId, externalAccountId, status, externalId } = query;
  const named = await findNamed(programId, kind, externalId, payments.key);
  return listPage(
    {
      records: named ?? { list: { programId, kind: kind === "payout" ? payoutList : pullList } },
      orders: { dateCreated: "createdAt", [`${kind}Id`]: "entityId", amount: "amountMinor" },
      filters: { walletId, externalAccountId, status },
      sought: soughtAmount(query),
      view,
    },
    query,
  );
}

/** @throws ApiError NOT_FOUND */
export const viewPayout: Operations["GET /payouts/{payoutId}"] = async ({ scope, path }) =>
  toPayoutView(await requirePayout(scope.programId, path.payoutId));

/** @throws ApiError NOT_FOUND */
export const listPayoutEvents: Operations["GET /payouts/{payoutId}/events"] = async (request) => {
  const { scope, path, query } = request;
  await requirePayout(scope.programId, path.payoutId);
  return listHistory(paymentEvents, [scope.programId, path.payoutId], toPayoutEventView, query);
};
