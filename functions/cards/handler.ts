import { cardRoutes } from "../../shared/contract/cards.ts";
import { apiHandler } from "../../shared/http/api-handler.ts";
import { activateCard } from "./activate-card.ts";
import { changeStatus } from "./change-status.ts";
import { closeCard } from "./close-card.ts";
import { depositOnCard } from "./deposit-on-card.ts";
import { issueCard } from "./issue-card.ts";
import { listCards } from "./list-cards.ts";
import { listFees } from "./list-fees.ts";
import { listTransactions } from "./list-transactions.ts";
import { matchCardHolds } from "./match-card-holds.ts";
import { notifyDeposit } from "./notify-deposit.ts";
import { proveBalance } from "./prove-balance.ts";
import { viewBalance } from "./view-balance.ts";
import { viewCard } from "./view-card.ts";
import { viewStatus } from "./view-status.ts";

export const handler = apiHandler(cardRoutes, {
  "GET /cards": listCards,
  "POST /cards": issueCard,
  "GET /cards/{cardId}": viewCard,
  "GET /cards/{cardId}/status": viewStatus,
  "PUT /cards/{cardId}/status": changeStatus,
  "POST /cards/{cardId}/activate": activateCard,
  "POST /cards/{cardId}/close": closeCard,
  "GET /cards/{cardId}/balance": viewBalance,
  "POST /cards/{cardId}/bank-deposit": depositOnCard,
  "POST /cards/{cardId}/deposit": notifyDeposit,
  "GET /cards/transactions": listTransactions,
  "GET /cards/fees": listFees,
  "GET /cards/{cardId}/balance/proof": proveBalance,
  "GET /cards/{cardId}/hold-matching": matchCardHolds,
});
