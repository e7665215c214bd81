import { apiHandler, endpoints } from "../../shared/platform/http/api-handler.ts";

export const handler = apiHandler(
  endpoints(async () => (await import("../../shared/contract/cards.ts")).cardRoutes, {
    "GET /cards": async () => (await import("./list-cards.ts")).listCards,
    "POST /cards": async () => (await import("./issue-card.ts")).issueCard,
    "GET /cards/{cardId}": async () => (await import("./view-card.ts")).viewCard,
    "GET /cards/{cardId}/status": async () => (await import("./view-status.ts")).viewStatus,
    "PUT /cards/{cardId}/status": async () => (await import("./change-status.ts")).changeStatus,
    "POST /cards/{cardId}/activate": async () => (await import("./activate-card.ts")).activateCard,
    "POST /cards/{cardId}/close": async () => (await import("./close-card.ts")).closeCard,
    "POST /cards/{cardId}/unload": async () => (await import("./unload-card.ts")).unloadCard,
    "GET /cards/{cardId}/balance": async () => (await import("./view-balance.ts")).viewBalance,
    "POST /cards/{cardId}/bank-deposit": async () => (await import("./deposit-on-card.ts")).depositOnCard,
    "POST /cards/{cardId}/deposit": async () => (await import("./notify-deposit.ts")).notifyDeposit,
  }),
  endpoints(async () => (await import("../../shared/contract/transactions.ts")).statementRoutes, {
    "GET /cards/transactions": async () => (await import("./list-transactions.ts")).listTransactions,
    "GET /cards/fees": async () => (await import("./list-fees.ts")).listFees,
    "GET /cards/{cardId}/balance/proof": async () => (await import("./prove-balance.ts")).proveBalance,
    "GET /cards/{cardId}/hold-matching": async () => (await import("./match-card-holds.ts")).matchCardHolds,
  }),
);
