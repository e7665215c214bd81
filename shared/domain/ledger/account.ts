import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Balances } from "../../contract/balances.ts";
import type { Currency } from "../../contract/enums.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import {
  all,
  type Condition,
  exists,
  toConditionExpression,
  toUpdateExpression,
} from "../../platform/table/condition.ts";
import { issuingKey, type Key } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { AccountBalances } from "./postings.ts";

export interface Account {
  readonly kind: "card" | "wallet";
  /** cardId or walletId. */
  readonly accountId: string;
}

export interface StoredAccount extends AccountBalances {
  readonly currency: Currency;
}

/** What must hold of an account's item. Other rooms supply conditions on attributes that the ledger does not know. */
export type AccountCondition = Condition<AccountBalances>;

/** One card's or wallet's part in a commit. Its balances change by what the entry's postings say and by nothing else. */
export interface AccountChange {
  /** Names the account among the commit's failed conditions. */
  readonly name: string;
  readonly account: Account;
  /** What must hold besides that the account exists. */
  readonly require?: AccountCondition;
  /** Balances that must still be as they were seen. */
  readonly balances?: Partial<AccountBalances>;
  /** Further attributes of the account's item that change with it, such as the status of a card that is swept. */
  readonly set?: Readonly<Record<string, string | number>>;
}

export function accountKey(programId: string, { kind, accountId }: Account): Key {
  return kind === "card" ? issuingKey.card(programId, accountId) : issuingKey.wallet(programId, accountId);
}

/** Consistent read; undefined if the account does not exist in this Program. */
export async function readAccount(programId: string, account: Account): Promise<StoredAccount | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: accountKey(programId, account),
      ConsistentRead: true,
    }),
  );
  return Item as StoredAccount | undefined;
}

/** The account's one conditional write: an update if anything changes, else a check of the conditions alone. */
export function accountAction(
  programId: string,
  { name, account, require, balances = {}, set = {} }: AccountChange,
  balanceChange: AccountBalances | undefined,
): WriteAction {
  const place = { TableName: environment.issuingTable, Key: accountKey(programId, account) };
  const parts: AccountCondition[] = [exists, ...(require ? [require] : [])];
  if (Object.keys(balances).length > 0) parts.push(balances);
  const condition = all(...parts);
  const added = Object.entries(balanceChange ?? {}).filter(([, deltaMinor]) => deltaMinor !== 0);
  if (added.length === 0 && Object.keys(set).length === 0) {
    return { name, ConditionCheck: { ...place, ...toConditionExpression(condition) } };
  }
  const change = { set, increase: Object.fromEntries(added) };
  return { name, Update: { ...place, ...toUpdateExpression(change, condition) } };
}

export function toBalances({ availableMinor, ledgerMinor }: AccountBalances): Balances {
  return { availableBalance: availableMinor, ledgerBalance: ledgerMinor };
}
