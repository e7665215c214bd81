import type { CardIdentity } from "../../../shared/cards/card.ts";
import { DepositStatus } from "../../../shared/contract/enums.ts";
import type { DepositFacts } from "../../../shared/deposits/card-deposit.ts";
import type { HoldFacts } from "../../../shared/notifications/hold-notification.ts";
import type { SettlementFacts } from "../../../shared/notifications/settlement-notification.ts";
import type { Fee } from "../../../shared/transactions/fee.ts";
import type { Transaction } from "../../../shared/transactions/transaction.ts";

/** Made at 2026-07-09T07:05:09.123Z. */
export const transIdSc = "ntf_01KX2V3M83V8Q4N6T0B5W7XKD1";

export const card: CardIdentity = {
  programId: "prg_01J9ZC3P2V8Q4N6T0B5W7XKD1B",
  cardId: "crd_01J9ZC3P2V8Q4N6T0B5W7XKD1M",
  cardholderId: "chd_01J9ZC3P2V8Q4N6T0B5W7XKD1N",
  currency: 0,
  cardToken: "tok_3f9a",
  maskedCardNumber: "400000******1234",
};

const { programId, cardId, cardholderId, currency } = card;
const at = "2026-07-09T07:05:09.000Z";

export const holdFacts = (fields: Partial<HoldFacts["transaction"]> = {}): HoldFacts => ({
  transIdSc,
  card,
  transaction: { transType: 1, amountMinor: 12_34, transDate: at, ...fields },
});

export const purchase: Transaction = {
  programId,
  transId: "txn_01J9ZC3P2V8Q4N6T0B5W7XKD1P",
  cardId,
  cardholderId,
  transType: 3,
  transStatus: 3,
  type: "DR",
  amountMinor: 12_50,
  currency,
  srcAmountMinor: 11_20,
  srcCurrency: "978",
  merchantName: "Café Zürich",
  mcc: "5814",
  merchantId: "M-1",
  merchantCity: "Zürich",
  merchantCountry: "CH",
  referenceCode: "REF-1",
  description: "Coffee",
  transDate: at,
  postDate: "2026-07-10T08:00:00.000Z",
  createdAt: "2026-07-10T08:00:00.000Z",
};

export const atmFee: Fee = {
  programId,
  feeId: "fee_01J9ZC3P2V8Q4N6T0B5W7XKD1Q",
  cardId,
  cardholderId,
  feeType: 3,
  transType: 15,
  transStatus: 3,
  amountMinor: 2_50,
  currency,
  srcAmountMinor: 0,
  srcCurrency: "840",
  referenceCode: "REF-2",
  description: "Foreign Cash Adv Fee",
  transDate: at,
  postDate: at,
  createdAt: at,
};

export const settlementFacts = (
  record: Transaction | Fee = purchase,
  original?: string,
): SettlementFacts => ({ transIdSc, parentTransIdSc: original, card, record, balanceMinor: 87_50 });

export const depositFacts = (fields: Partial<DepositFacts> = {}): DepositFacts => ({
  transIdSc,
  card,
  status: DepositStatus.pending,
  depositId: "dep_01J9ZC3P2V8Q4N6T0B5W7XKD1R",
  amountMinor: 100_05,
  channel: "crypto",
  chain: "bitcoin",
  asset: "BTC",
  txHash: "ab12",
  at,
  ...fields,
});
