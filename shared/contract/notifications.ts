import * as z from "zod";
import { DisputeStatus, DisputeView } from "./disputes.ts";
import { TransactionResult } from "./enums.ts";
import { integerEnum } from "./primitives.ts";

export const notificationsKeptSeconds = 90 * 86_400;

/**
 * The layers of a transaction notification, with the specification's names. `SpData` and, inside
 * it, `OriginalDataFromSp` are strings that contain JSON.
 */

const decimal = z.string().regex(/^-?\d+\.\d{2}$/);
/** With as many decimals as its currency has. */
const anyDecimal = z.string().regex(/^-?\d+(\.\d{2,4})?$/);
const date = z.iso.date();
const timeDigits = z.string().regex(/^\d{6}$/);
const digits = z.string().regex(/^\d+$/);
const currencyCode = z.string().regex(/^\d{3}$/);

export const NotificationEnvelope = z.strictObject({
  TransId_SC: z.string(),
  OriginalTransId_SC: z.string(),
  TransId_Issuer: z.string(),
  CardId: z.string(),
  CardToken: z.string(),
  CardholderId: z.string(),
  DateCreated: z.iso.datetime({ precision: 3 }),
  TransType: z.int(),
  TransResult: integerEnum(TransactionResult),
  TransAmount: z.int(),
  TransMerchantName: z.string(),
  TransDate: z.string(),
  SpData: z.string(),
});
export type NotificationEnvelope = z.output<typeof NotificationEnvelope>;

const holdTexts = {
  MsgType: z.literal("HOLD"),
  cif: z.string(),
  account: z.string(),
  transdate: date,
  authId: z.string(),
  cardnum: z.string(),
  status: z.string(),
  currency: currencyCode,
  hdate: date,
  edate: date,
  txncode: z.string(),
  txnExtDesc: z.string(),
  txnIntDesc: z.string(),
  statusId: z.string(),
};

export const HoldData = z.strictObject({
  ...holdTexts,
  trace: digits,
  txntype: z.string(),
  msgtype: z.string(),
  amount: decimal,
  htime: timeDigits,
  etime: timeDigits,
  OriginalDataFromSp: z.string(),
});
export type HoldData = z.output<typeof HoldData>;

export const HoldOriginal = z.strictObject({
  cdcEvent: z.literal("HOLD"),
  payload: z.strictObject({
    ...holdTexts,
    trace: z.int(),
    txntype: z.int(),
    msgtype: z.int(),
    amount: z.number(),
    htime: z.int(),
    etime: z.int(),
  }),
});
export type HoldOriginal = z.output<typeof HoldOriginal>;

const settlementTexts = {
  MsgType: z.literal("ACTTXN"),
  txndate: date,
  txntime: timeDigits,
  postdate: date,
  postime: timeDigits,
  description: z.string(),
  merchantId: z.string(),
  merchantCity: z.string(),
  merchantCountry: z.string(),
  mcc: z.string(),
  referenceCode: z.string(),
  txntimestamp: z.string(),
  term_id: z.string().nullable(),
  acctCif: z.string(),
  srcCurrency: currencyCode,
  txnMemo: z.string().nullable(),
  source: z.string(),
  txncode: z.string(),
};

export const SettlementData = z.strictObject({
  ...settlementTexts,
  unique_row_id: digits,
  transactionStatus: z.string(),
  balance: decimal,
  srcAmount: anyDecimal,
  trace: digits,
  OriginalDataFromSp: z.string(),
});
export type SettlementData = z.output<typeof SettlementData>;

export const TransactionGroup = z.enum(["PURCHASE", "CASHADVANCE", "FEES", "CREDITVOUCHER", "PAYMENT"]);
export type TransactionGroup = z.output<typeof TransactionGroup>;

export const SettlementOriginal = z.strictObject({
  cdcEvent: z.literal("ACTTXN"),
  payload: z.strictObject({
    ...settlementTexts,
    unique_row_id: z.int(),
    transactionStatus: z.int(),
    balance: z.number(),
    srcAmount: z.number(),
    trace: z.int(),
    merchantName: z.string(),
    amount: z.number(),
    type: z.enum(["DR", "CR"]),
    txnGroup: TransactionGroup,
    currencyCode,
    currencyDesc: z.string(),
    /** O: original. R: reversal. */
    org_or_rev: z.enum(["O", "R"]),
    points: z.int(),
    rec_status: z.string(),
    poieligible: z.boolean(),
    transactionStatusName: z.string(),
    cardnum: z.string(),
    acctnum: z.string(),
  }),
});
export type SettlementOriginal = z.output<typeof SettlementOriginal>;

const depositTexts = {
  MsgType: z.literal("DEPOSIT"),
  depositId: z.string(),
  channel: z.enum(["bank", "crypto"]),
  chain: z.string().nullable(),
  asset: z.string().nullable(),
  txHash: z.string().nullable(),
  currencyCode,
};

export const DepositData = z.strictObject({
  ...depositTexts,
  amount: decimal,
  OriginalDataFromSp: z.string(),
});
export type DepositData = z.output<typeof DepositData>;

export const DepositOriginal = z.strictObject({
  cdcEvent: z.enum(["DEPOSIT_PENDING", "DEPOSIT_CLEARED", "DEPOSIT_RETURNED"]),
  payload: z.strictObject({ ...depositTexts, amount: z.number() }),
});
export type DepositOriginal = z.output<typeof DepositOriginal>;

export const DisputeData = z.strictObject({
  MsgType: z.literal("DISPUTE"),
  disputeId: z.string(),
  status: DisputeStatus,
  referenceCode: z.string(),
  amount: decimal,
  currencyCode,
  OriginalDataFromSp: z.string(),
});
export type DisputeData = z.output<typeof DisputeData>;

/** The payload has amounts in minor units, as the dispute's view. */
export const DisputeOriginal = z.strictObject({ cdcEvent: z.literal("DISPUTE"), payload: DisputeView });
export type DisputeOriginal = z.output<typeof DisputeOriginal>;
