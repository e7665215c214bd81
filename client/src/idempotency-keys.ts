import { randomUUID } from "node:crypto";
import type { Middleware } from "openapi-fetch";
import type { DeclaredRoute } from "../../shared/contract/routes.ts";
import type { PlaceOf } from "./paths.ts";

type KeyedPath = PlaceOf<Extract<DeclaredRoute, { movesFunds: true } | { creates: true | string }>>;

/** Paths that move money or create something. The compiler compares the list with the contract. */
const keyedPaths: Readonly<Record<KeyedPath, true>> = {
  "/account/api-users": true,
  "/account/certificates": true,
  "/account/ip-allowlist": true,
  "/account/programs": true,
  "/account/programs/{programId}/api-users": true,
  "/account/programs/{programId}/card-designs": true,
  "/account/programs/{programId}/connections": true,
  "/account/tickets": true,
  "/account/tickets/{ticketId}/comments": true,
  "/authentications/{authenticationId}/outcome": true,
  "/cardholders": true,
  "/cardholders/bulk": true,
  "/cards": true,
  "/cards/bulk": true,
  "/cards/{cardId}/bank-deposit": true,
  "/cards/{cardId}/close": true,
  "/cards/{cardId}/renew": true,
  "/cards/{cardId}/replace": true,
  "/cards/{cardId}/unload": true,
  "/deposits/{depositId}/cancel": true,
  "/controls": true,
  "/disputes": true,
  "/disputes/{disputeId}/evidence": true,
  "/disputes/{disputeId}/escalate": true,
  "/disputes/{disputeId}/submit": true,
  "/disputes/{disputeId}/withdraw": true,
  "/disputes/{disputeId}/write-off": true,
  "/external-accounts": true,
  "/otp/listeners": true,
  "/report-schedules": true,
  "/reports": true,
  "/sandbox/authorizations/{authorizationId}/clear": true,
  "/sandbox/authorizations/{authorizationId}/expire": true,
  "/sandbox/authorizations/{authorizationId}/increment": true,
  "/sandbox/authorizations/{authorizationId}/reverse": true,
  "/sandbox/cards/{cardId}/atm-withdrawals": true,
  "/sandbox/cards/{cardId}/authorization-advices": true,
  "/sandbox/cards/{cardId}/authentications": true,
  "/sandbox/cards/{cardId}/authorizations": true,
  "/sandbox/cards/{cardId}/balance-inquiries": true,
  "/sandbox/cards/{cardId}/chargebacks": true,
  "/sandbox/cards/{cardId}/deposits": true,
  "/sandbox/cards/{cardId}/fees": true,
  "/sandbox/cards/{cardId}/fees/{feeId}/reverse": true,
  "/sandbox/cards/{cardId}/force-post": true,
  "/sandbox/cards/{cardId}/refunds": true,
  "/sandbox/cards/{cardId}/refunds/{transId}/reverse": true,
  "/sandbox/chargebacks/{chargebackId}/outcome": true,
  "/sandbox/deposits": true,
  "/sandbox/deposits/{depositId}/clear": true,
  "/sandbox/deposits/{depositId}/return": true,
  "/sandbox/deposits/{depositId}/reverse": true,
  "/sandbox/cards/{cardId}/processing-errors": true,
  "/sandbox/disputes/{disputeId}/outcome": true,
  "/sandbox/wallets/transfers": true,
  "/sandbox/wallets/{walletId}/deposits": true,
  "/sandbox/wallets/{walletId}/transfers/{transferId}/outcome": true,
  "/external-accounts/{externalAccountId}/mandates": true,
  "/pulls": true,
  "/pulls/{pullId}/cancel": true,
  "/payouts": true,
  "/payouts/{payoutId}/approve": true,
  "/payouts/{payoutId}/cancel": true,
  "/payouts/{payoutId}/decline": true,
  "/wallets": true,
  "/wallets/transfer": true,
  "/wallets/{walletId}/bank-deposit": true,
  "/webhooks": true,
  "/webhooks/events/redeliver": true,
  "/webhooks/events/{transIdSc}/redeliver": true,
};

/** Gives each request that moves money or creates something a key, so that it can be retried. */
export const idempotencyKeys: Middleware = {
  onRequest({ request, schemaPath }) {
    const isKeyed = request.method === "POST" && Object.hasOwn(keyedPaths, schemaPath);
    if (isKeyed && !request.headers.has(idempotencyHeader)) {
      request.headers.set(idempotencyHeader, randomUUID());
    }
    return request;
  },
};

export const idempotencyHeader = "Idempotency-Key";
