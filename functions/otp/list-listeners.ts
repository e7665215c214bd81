import { OtpListener, toListenerView } from "../../shared/domain/passcodes/listener.ts";
import { readListenerIds } from "../../shared/domain/passcodes/subscription.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { otpKey } from "../../shared/platform/table/otp-keys.ts";
import type { OtpOperations } from "./operations.ts";
import { requireSubject } from "./require-subject.ts";

/**
 * The subscriptions of a Card, or those of a Cardholder; a Card's do not include its Cardholder's.
 *
 * @throws ApiError NOT_FOUND for a Card or Cardholder that does not exist in this Program
 */
export const listListeners: OtpOperations["GET /otp/listeners"] = async ({ scope: { programId }, query }) => {
  const { cardId, cardholderId, ...pageQuery } = query;
  const [listenerIds] = await Promise.all([
    readListenerIds(programId, cardId ?? cardholderId ?? ""),
    requireSubject(programId, { cardId, cardholderId }),
  ]);
  const { items, total } = await listPage(
    {
      records: { keys: listenerIds.map((listenerId) => otpKey.listener(programId, listenerId)) },
      orders: { dateCreated: "createdAt", listenerId: "listenerId" },
      filters: {},
    },
    pageQuery,
  );
  return { items: items.map((item) => toListenerView(OtpListener.parse(item))), total };
};
