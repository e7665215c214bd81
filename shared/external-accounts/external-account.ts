import * as z from "zod";
import { type AccountDetails, BankAccountType } from "../contract/bank-account.ts";
import { Currency } from "../contract/enums.ts";
import {
  AccountHolderType,
  ExternalAccountStatus,
  type ExternalAccountView,
  NameCheck,
  VerificationMethod,
} from "../contract/external-accounts.ts";
import { integerEnum } from "../contract/primitives.ts";
import { Envelope } from "../contract/vault.ts";
import { listInsert, listUpdate } from "../lists/entry.ts";
import { defineList } from "../lists/kind.ts";
import { CarriedDeadline, defineDeadline, noDeadline, toStoredDeadline } from "../platform/deadlines.ts";
import { statusMessage } from "../platform/http/api-error.ts";
import { pick } from "../platform/pick.ts";
import { absent } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { fromEach, leadsTo, type TransitionTable } from "../platform/table/transition.ts";

/** Every legal change of an external account's status. */
export const externalAccountTransitions = [
  ...fromEach(["new", "failed", "suspended"], "verify", "pending"),
  { from: "pending", trigger: "match", to: "verified" },
  { from: "pending", trigger: "mismatch", to: "failed" },
  { from: "pending", trigger: "confirm", to: "verified" },
  { from: "pending", trigger: "exhaust", to: "failed" },
  { from: "pending", trigger: "bounce", to: "failed" },
  { from: "pending", trigger: "expire", to: "failed" },
  { from: "verified", trigger: "return", to: "suspended" },
  ...fromEach(["new", "pending", "verified", "failed", "suspended"], "archive", "archived"),
] as const satisfies TransitionTable<ExternalAccountStatus, string>;

type ExternalAccountTrigger = (typeof externalAccountTransitions)[number]["trigger"];

/** Undefined if its status does not permit the step. */
export function nextStatus(from: ExternalAccountStatus, trigger: ExternalAccountTrigger) {
  return leadsTo<ExternalAccountStatus, ExternalAccountTrigger>(externalAccountTransitions, from, trigger);
}

/** A bank account that is paid to or pulled from. Only the vault opens its number. */
const ExternalAccount = z.object({
  programId: z.string(),
  externalAccountId: z.string(),
  /** The `externalAccountId`. */
  entityId: z.string(),
  status: ExternalAccountStatus,
  statusReason: z.string().optional(),
  holderName: z.string(),
  holderType: AccountHolderType,
  lastFour: z.string(),
  accountType: BankAccountType.optional(),
  country: z.string(),
  currency: integerEnum(Currency),
  cardholderId: z.string().optional(),
  nickname: z.string().optional(),
  /** The account's details. */
  sealed: Envelope,
  /** A keyed hash of the account, by which it is found again. */
  fingerprint: z.string(),
  nameCheck: NameCheck.optional(),
  suggestedName: z.string().optional(),
  /** How its last verification is made. */
  method: VerificationMethod.optional(),
  /** Names the question to its bank. */
  checkId: z.string().optional(),
  /** The two that the holder is to tell, and their payments. */
  microDeposits: z
    .object({ amounts: z.array(z.int()).readonly(), paymentIds: z.array(z.string()).readonly() })
    .optional(),
  /** How often the amounts were told wrong. */
  wrongAttempts: z.int().optional(),
  verifiedAt: z.string().optional(),
  startedAt: z.string().optional(),
  /** When the verification has taken too long. */
  endsAt: z.string().optional(),
  createdAt: z.string(),
  /** While it is pending. */
  ...CarriedDeadline.shape,
});
export type ExternalAccount = Readonly<z.output<typeof ExternalAccount>>;

export const externalAccounts = defineEntity({
  name: "externalAccount",
  schema: ExternalAccount,
  saysWhenChanged: true,
  key: (programId: string, externalAccountId: string) => ({
    pk: `${programId}#${externalAccountId}`,
    sk: "EXTERNAL_ACCOUNT",
  }),
});

export const externalAccountList = defineList({
  name: "externalAccounts",
  filters: ["status"],
  orders: ["cardholderId"],
  recordKey: ({ programId }, externalAccountId) => externalAccounts.key(programId, externalAccountId),
});

const KnownAccount = z.object({
  /** The one that is not archived. */
  externalAccountId: z.string().optional(),
  /** When verifications began, of those that count. */
  verifiedAt: z.array(z.string()).optional(),
});
export type KnownAccount = Readonly<z.output<typeof KnownAccount>>;

/** What a Program knows of a bank account, whichever external account it was or is. */
export const knownAccounts = defineEntity({
  name: "knownAccount",
  schema: KnownAccount,
  key: (programId: string, fingerprint: string) => ({
    pk: `${programId}#KNOWN_ACCOUNT#${fingerprint}`,
    sk: "KNOWN_ACCOUNT",
  }),
});

/** A new one. Its condition, named `knownAccount`, fails if the Program has the account already. */
export function externalAccountPuts(account: ExternalAccount): WriteAction[] {
  const { programId, externalAccountId, fingerprint } = account;
  return [
    {
      ...externalAccounts.at(programId, externalAccountId).create(account),
      alongside: [listInsert(externalAccountList, programId, externalAccountId, account)],
    },
    knownAccounts
      .at(programId, fingerprint)
      .update({ set: { externalAccountId } }, { externalAccountId: absent }),
  ];
}

/** Its change. Fails, under the name `externalAccount`, if it has changed meanwhile. */
export function externalAccountUpdate(before: ExternalAccount, after: ExternalAccount): WriteAction {
  const { programId, externalAccountId, status, startedAt, wrongAttempts } = before;
  const put = { ...after, ...(after.status === "pending" ? toDeadline(after) : noDeadline) };
  return {
    ...externalAccounts.at(programId, externalAccountId).put(put, { status, startedAt, wrongAttempts }),
    alongside: [listUpdate(externalAccountList, programId, externalAccountId, before, after)],
  };
}

/** Its verification took too long. */
export const verificationEnd = defineDeadline("end_account_verification", "normal");

function toDeadline({ programId: ownerId, externalAccountId: deadlineId, endsAt = "" }: ExternalAccount) {
  return toStoredDeadline(verificationEnd.at({ ownerId, deadlineId, dueAt: new Date(endsAt) }));
}

/** @throws ApiError NOT_FOUND */
export function readExternalAccount(programId: string, externalAccountId: string): Promise<ExternalAccount> {
  return externalAccounts.at(programId, externalAccountId).require();
}

/** Money may go there, or be pulled from there. What is under way ends as it would. */
export function isUsable({ status }: Pick<ExternalAccount, "status">): boolean {
  return status === "verified";
}

export function notVerified({ status }: ExternalAccount) {
  const rejected = "EXTERNAL_ACCOUNT_NOT_VERIFIED";
  return { rejected, message: statusMessage(rejected, status, ["verified"]) } as const;
}

/**
 * Part of a transaction that begins something with it. Fails, under the name `externalAccount`, if
 * it is not verified any more.
 */
export function usableCheck({ programId, externalAccountId }: ExternalAccount): WriteAction {
  return externalAccounts.at(programId, externalAccountId).check({ status: "verified" });
}

export function findLastFour(account: AccountDetails): string {
  return ("iban" in account ? account.iban : account.accountNumber).slice(-4);
}

export function toExternalAccountView(account: ExternalAccount): ExternalAccountView {
  return {
    ...pick(account, "externalAccountId", "status", "statusReason", "holderName", "holderType", "lastFour"),
    ...pick(account, "accountType", "country", "currency", "cardholderId", "nickname", "nameCheck"),
    suggestedName: account.suggestedName,
    dateCreated: account.createdAt,
  };
}
