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

/** Money coming in from outside on a card or in a wallet. */
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
  /** The accountId in the bank's own events, where it was assigned to another account out of suspense. */
  readonly announcedFor?: string | undefined;
  readonly createdAt: string;
  /** When it was cleared or reversed; absent where it was never pending. */
  readonly settledAt?: string | undefined;
  /** When a pending deposit clears by itself; absent where only the processor clears it. */
  readonly clearsAt?: string | undefined;
}

/** A deposit that is recorded for the first time. */
export type NewDeposit = Deposit & {
  readonly status: typeof DepositStatus.pending | typeof DepositStatus.cleared;
};

/** The deposit as it is now, consistently read; undefined where the Program has none by this id. */
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
