import * as z from "zod";
import { integerEnum } from "./primitives.ts";

/** The specification's integer enums. `TransactionStatus` and `TransferStatus` share a wire name and nothing else. */

export const Currency = { usd: 0, cad: 1, gbp: 2, eur: 3 } as const;
export type Currency = (typeof Currency)[keyof typeof Currency];

export const Gender = { male: 0, female: 1, other: 2 } as const;
export type Gender = (typeof Gender)[keyof typeof Gender];

export const CardholderStatus = {
  pending: 0,
  approved: 1,
  complianceDecline: 2,
  underReview: 3,
  draft: 4,
  deleted: 5,
  error: 6,
  adminDecline: 7,
} as const;
export type CardholderStatus = (typeof CardholderStatus)[keyof typeof CardholderStatus];

/** `CardViewMasked.cardStatus`: whether the issuance was approved. */
export const CardApprovalStatus = { pending: 0, approved: 1, declined: 2 } as const;
export type CardApprovalStatus = (typeof CardApprovalStatus)[keyof typeof CardApprovalStatus];

/** `issuerCardStatus`: whether the card can be used. */
export const CardStatus = { pending: 0, active: 1, onHold: 2, closed: 3, notActivated: 4 } as const;
export type CardStatus = (typeof CardStatus)[keyof typeof CardStatus];

export const CardForm = { virtual: 0, physical: 1 } as const;
export type CardForm = (typeof CardForm)[keyof typeof CardForm];

export const DesignStatus = { pending: 0, approved: 1, rejected: 2 } as const;
export type DesignStatus = (typeof DesignStatus)[keyof typeof DesignStatus];

/** `transStatus` of transactions and fees. */
export const TransactionStatus = { pending: 1, cleared: 2, completion: 3, declined: 4, error: 5 } as const;
export type TransactionStatus = (typeof TransactionStatus)[keyof typeof TransactionStatus];

/** `transStatus` of transfers and bank deposits. */
export const TransferStatus = { pending: 0, approved: 1, declined: 2, partial: 3, error: 4 } as const;
export type TransferStatus = (typeof TransferStatus)[keyof typeof TransferStatus];

/** 2: before it cleared. 3: after it had cleared. */
export const DepositStatus = { pending: 0, cleared: 1, reversed: 2, returned: 3 } as const;
export type DepositStatus = (typeof DepositStatus)[keyof typeof DepositStatus];

/** A deposit that is with the operator: open in 0 and 1. */
export const SuspenseStatus = { ...DepositStatus, assigned: 4 } as const;
export type SuspenseStatus = (typeof SuspenseStatus)[keyof typeof SuspenseStatus];

/** Why a deposit went to the operator. */
export const SuspenseReason = z.enum(["CARD_CLOSED", "CARD_NOT_APPROVED", "ACCOUNT_UNKNOWN"]);
export type SuspenseReason = z.output<typeof SuspenseReason>;

export const DestinationType = { wallet: 0, card: 1 } as const;
export type DestinationType = (typeof DestinationType)[keyof typeof DestinationType];

export const currencySchema = integerEnum([0, 1, 2, 3]);
export const genderSchema = integerEnum([0, 1, 2]);
export const cardholderStatusSchema = integerEnum([0, 1, 2, 3, 4, 5, 6, 7]);
export const cardApprovalStatusSchema = integerEnum([0, 1, 2]);
export const cardStatusSchema = integerEnum([0, 1, 2, 3, 4]);
export const cardFormSchema = integerEnum([0, 1]);
export const designStatusSchema = integerEnum([0, 1, 2]);
export const transactionStatusSchema = integerEnum([1, 2, 3, 4, 5]);
export const transferStatusSchema = integerEnum([0, 1, 2, 3, 4]);
export const depositStatusSchema = integerEnum([0, 1, 2, 3]);
export const destinationTypeSchema = integerEnum([0, 1]);
export const flagSchema = integerEnum([0, 1]);
