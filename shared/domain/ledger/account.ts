import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Balances } from "../../contract/balances.ts";
import type { CardStatus, Currency } from "../../contract/enums.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey, type Key } from "../../platform/table/keys.ts";
import type { CardBlocks } from "../cards/card-block.ts";
import type { Expiry } from "../cards/expiry.ts";
import type { AccountBalances } from "./posting.ts";

/** A card or a wallet as something that holds money. */
export interface Account {
  readonly kind: "card" | "wallet";
  /** cardId or walletId. */
  readonly accountId: string;
}

/** What the ledger reads of a card's or wallet's item. */
export interface StoredAccount extends AccountBalances, CardBlocks, Partial<Expiry> {
  readonly currency: Currency;
  /** Of cards alone, as are the blocks and the expiry. */
  readonly issuerCardStatus?: CardStatus;
}

/** The key of the item that holds the account's balances. */
export function accountKey(programId: string, { kind, accountId }: Account): Key {
  return kind === "card" ? issuingKey.card(programId, accountId) : issuingKey.wallet(programId, accountId);
}

/** The account as it is now, consistently read; undefined where the Program has none by this id. */
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

/** The balances as they are answered, in minor units. */
export function toBalances({ availableMinor, ledgerMinor }: AccountBalances): Balances {
  return { availableBalance: availableMinor, ledgerBalance: ledgerMinor };
}
