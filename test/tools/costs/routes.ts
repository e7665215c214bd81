/** Endpoints that a card's life is made of. */
export const routesInUse = [
  "POST /cardholders",
  "POST /cardholders/{cardholderId}/submit",
  "POST /cards",
  "GET /cards/{cardId}",
  "GET /cards/{cardId}/balance",
  "POST /wallets/transfer",
] as const;

/** Others that store something: one for each kind of thing that happens. */
export const storingRoutes = [
  "POST /cards/{cardId}/atm-withdrawals",
  "POST /cards/{cardId}/refunds",
  "POST /cards/{cardId}/deposits",
  "POST /wallets/{walletId}/bank-deposit",
  "POST /cards/{cardId}/unload",
  "PUT /cards/{cardId}/status",
  "POST /cards/{cardId}/close",
  "POST /cards/{cardId}/chargebacks",
  "POST /disputes",
  "POST /disputes/{disputeId}/submit",
  "POST /disputes/{disputeId}/evidence",
  "POST /controls",
  "POST /otp/listeners",
  "POST /cards/{cardId}/three-ds-challenges",
  "POST /webhooks",
  "POST /webhooks/events/{transIdSc}/redeliver",
  "GET /ledger/{date}",
  "POST /wallets",
  "POST /account/tickets",
] as const;
