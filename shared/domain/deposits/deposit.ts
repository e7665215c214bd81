import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { type Currency, DepositStatus } from "../../contract/enums.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { TransitionTable } from "../../platform/table/transition.ts";
import type { Account } from "../ledger/account.ts";
import type { ContraAccount } from "../ledger/postings.ts";

export type DepositTrigger = "clear" | "reverse" | "return";

/** Every legal change of a deposit's status; the code and the documentation read this one table. */
export const depositTransitions = [
  { from: DepositStatus.pending, trigger: "clear", to: DepositStatus.cleared },
  { from: DepositStatus.pending, trigger: "reverse", to: DepositStatus.reversed },
  { from: DepositStatus.cleared, trigger: "return", to: DepositStatus.returned },
] as const satisfies TransitionTable<DepositStatus, DepositTrigger>;

export type DepositChannel = "bank" | "crypto";

/** Where a deposit's money comes from. */
export const fundingOf = {
  bank: "bank_funding",
  crypto: "crypto_funding",
} as const satisfies Record<DepositChannel, ContraAccount>;

export interface Deposit {
  readonly programId: string;
  readonly depositId: string;
  readonly account: Account;
  readonly amountMinor: number;
  readonly currency: Currency;
  readonly status: DepositStatus;
  readonly channel: DepositChannel;
  readonly chain?: string | undefined;
  readonly asset?: string | undefined;
  readonly txHash?: string | undefined;
  readonly reference?: string | undefined;
  readonly externalId?: string | undefined;
  /** Cards only: whose card it is, the deposit's record on its statement, and how notifications name the card. */
  readonly cardholderId?: string | undefined;
  readonly transId?: string | undefined;
  readonly cardToken?: string | undefined;
  /** Cards only: its notifications so far, each of which the next one refers to. */
  readonly pendingTransIdSc?: string | undefined;
  readonly clearedTransIdSc?: string | undefined;
  /** The accountId in the bank's events, if it was assigned to another account out of suspense. */
  readonly announcedFor?: string | undefined;
  readonly createdAt: string;
  /** When it was cleared or reversed; absent where it was never pending. */
  readonly settledAt?: string | undefined;
  /** When a pending deposit clears automatically; absent if only the processor clears it. */
  readonly clearsAt?: string | undefined;
}

export type NewDeposit = Deposit & {
  readonly status: typeof DepositStatus.pending | typeof DepositStatus.cleared;
};

/** Consistent read. */
export async function readDeposit(programId: string, depositId: string): Promise<Deposit | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: issuingKey.deposit(programId, depositId),
      ConsistentRead: true,
    }),
  );
  return Item as Deposit | undefined;
}
