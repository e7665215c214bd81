import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { type Currency, type SuspenseReason, SuspenseStatus } from "../../contract/enums.ts";
import { idPrefixes } from "../../contract/identifiers.ts";
import { environment } from "../../platform/environment.ts";
import { withoutPrefix } from "../../platform/id.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { TransitionTable } from "../../platform/table/transition.ts";
import type { Account } from "../ledger/account.ts";
import { type Deposit, type DepositTrigger, depositTransitions } from "./deposit.ts";

export type SuspenseTrigger = DepositTrigger | "assign";

/** A deposit goes on in suspense as it would on its account, until the operator assigns or returns it. */
export const suspenseTransitions = [
  ...depositTransitions,
  { from: SuspenseStatus.pending, trigger: "assign", to: SuspenseStatus.assigned },
  { from: SuspenseStatus.cleared, trigger: "assign", to: SuspenseStatus.assigned },
] as const satisfies TransitionTable<SuspenseStatus, SuspenseTrigger>;

/** A deposit that no card or wallet could take; amounts in minor units. */
export interface SuspenseItem extends Pick<Deposit, "channel" | "chain" | "asset" | "txHash"> {
  readonly programId: string;
  readonly suspenseId: string;
  readonly depositId: string;
  /** The account that the deposit was for. */
  readonly account: Account;
  readonly amountMinor: number;
  readonly currency: Currency;
  readonly status: SuspenseStatus;
  readonly reason: SuspenseReason;
  readonly createdAt: string;
}

/** One suspense item per deposit: each id follows from the other. */
export function suspenseIdOf(depositId: string): string {
  return `${idPrefixes.suspense}_${withoutPrefix(depositId)}`;
}

export function depositIdOf(suspenseId: string): string {
  return `${idPrefixes.deposit}_${withoutPrefix(suspenseId)}`;
}

/** Whether its money is still in the suspense account. */
export function isOpen({ status }: Pick<SuspenseItem, "status">): boolean {
  return status === SuspenseStatus.pending || status === SuspenseStatus.cleared;
}

/** Consistent read. */
export async function readSuspense(programId: string, depositId: string): Promise<SuspenseItem | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: issuingKey.suspense(programId, depositId),
      ConsistentRead: true,
    }),
  );
  return Item as SuspenseItem | undefined;
}
