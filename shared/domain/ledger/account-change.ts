import type { CardStatus } from "../../contract/enums.ts";
import { environment } from "../../platform/environment.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { blockedCondition, notBlockedCondition } from "../cards/card-block.ts";
import { earliestExpiry } from "../cards/expiry.ts";
import { type Account, accountKey } from "./account.ts";
import type { AccountBalances } from "./posting.ts";

/** What must hold of an account for an entry to be committed. That it exists is always required. */
export interface AccountRequirements {
  readonly issuerCardStatusIn?: readonly CardStatus[];
  /** The status that it was seen with. */
  readonly issuerCardStatus?: CardStatus;
  /** Whether the platform has blocked the card. */
  readonly blocked?: boolean;
  /** The card must not have expired by then. */
  readonly validAt?: Date;
  readonly availableAtLeastMinor?: number;
  readonly availableBelowMinor?: number;
  /** Balances that must be exactly as they were seen. */
  readonly balances?: Partial<AccountBalances>;
}

/** One card's or wallet's part in a commit. Its balances change by what the entry's postings say and by nothing else. */
export interface AccountChange {
  /** The name by which the commit's outcome tells this account's refusal. */
  readonly name: string;
  readonly account: Account;
  readonly require?: AccountRequirements;
  /** Further attributes of the account's item that change with it, for example a card's status when it is swept. */
  readonly set?: Readonly<Record<string, string | number>>;
}

/** The account's one conditional write: an update where anything changes, else a check of the conditions alone. */
export function accountAction(
  programId: string,
  { name, account, require = {}, set = {} }: AccountChange,
  balanceChange: AccountBalances | undefined,
): WriteAction {
  const names: Record<string, string> = {};
  const values: Record<string, string | number> = {};
  const attribute = (attributeName: string) => {
    names[`#${attributeName}`] = attributeName;
    return `#${attributeName}`;
  };
  const value = (given: string | number) => {
    const placeholder = `:v${Object.keys(values).length}`;
    values[placeholder] = given;
    return placeholder;
  };

  const conditions = ["attribute_exists(pk)"];
  if (require.issuerCardStatusIn) {
    const statuses = require.issuerCardStatusIn.map(value).join(", ");
    conditions.push(`${attribute("issuerCardStatus")} IN (${statuses})`);
  }
  if (require.issuerCardStatus !== undefined) {
    conditions.push(`${attribute("issuerCardStatus")} = ${value(require.issuerCardStatus)}`);
  }
  if (require.blocked !== undefined)
    conditions.push(require.blocked ? blockedCondition : notBlockedCondition);
  if (require.validAt) {
    const { expiryYear, expiryMonth } = earliestExpiry(require.validAt);
    const [year, thisYear] = [attribute("expiryYear"), value(expiryYear)];
    const inThisYear = `${year} = ${thisYear} AND ${attribute("expiryMonth")} >= ${value(expiryMonth)}`;
    conditions.push(`(${year} > ${thisYear} OR (${inThisYear}))`);
  }
  if (require.availableAtLeastMinor !== undefined) {
    conditions.push(`${attribute("availableMinor")} >= ${value(require.availableAtLeastMinor)}`);
  }
  if (require.availableBelowMinor !== undefined) {
    conditions.push(`${attribute("availableMinor")} < ${value(require.availableBelowMinor)}`);
  }
  for (const [balance, seen] of Object.entries(require.balances ?? {})) {
    conditions.push(`${attribute(balance)} = ${value(seen)}`);
  }

  const assignments = Object.entries(set).map(([name, to]) => `${attribute(name)} = ${value(to)}`);
  for (const [balance, delta] of Object.entries(balanceChange ?? {})) {
    if (delta !== 0) assignments.push(`${attribute(balance)} = ${attribute(balance)} + ${value(delta)}`);
  }

  const write = {
    TableName: environment.issuingTable,
    Key: accountKey(programId, account),
    ConditionExpression: conditions.join(" AND "),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
  return assignments.length === 0
    ? { name, ConditionCheck: write }
    : { name, Update: { ...write, UpdateExpression: `SET ${assignments.join(", ")}` } };
}
