import "../../shared/ledger/hot/door.ts";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { expect } from "vitest";
import { type Card, cards } from "../../shared/cards/card.ts";
import type { CardStatus } from "../../shared/contract/enums.ts";
import { newDeposit } from "../../shared/deposits/new-deposit.ts";
import { type Account, noEntries } from "../../shared/ledger/account.ts";
import { commit } from "../../shared/ledger/commit.ts";
import { zeroBalances } from "../../shared/ledger/postings.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { newId } from "../../shared/platform/id.ts";
import { table } from "../../shared/platform/table/client.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { type Program, programs } from "../../shared/tenancy/programs/program.ts";
import { newWallet, walletPut } from "../../shared/wallets/wallet.ts";
import { givenWalk } from "./given-walk.ts";

/** Written without endpoints: fast, and in any state. */

/** A Program in USD whose bank deposits clear after the given delay. */
export async function givenStoredProgram(
  clearingDelaySeconds = 0,
  programId = newId("program"),
): Promise<string> {
  const unused = "xpub";
  const program: Program = {
    programId,
    tenantId: newId("tenant"),
    name: "Test",
    currency: 0,
    settings: {
      issuanceApproval: 0,
      clearingDelaySeconds,
      cardBin: "400000",
      partialApproval: false,
      timeZone: "Etc/UTC",
      threeDSecure: false,
      feeSchedule: [],
      provisionalCreditAtOnce: false,
      settlementFiles: false,
      extendedPublicKeys: { bitcoin: unused, ethereum: unused, tron: unused },
    },
    defaultWalletId: newId("wallet"),
    createdAt: timestamp(),
    createdBy: "test",
  };
  const Item = { ...programs.key(programId), ...program };
  await table.send(new PutCommand({ TableName: environment.accountsTable, Item }));
  await givenWalk(programId);
  return programId;
}

/** A Wallet with a cleared deposit of this amount. */
export async function givenStoredWallet(programId: string, amountMinor = 0): Promise<string> {
  const walletId = newId("wallet");
  await transact([walletPut(programId, newWallet({ walletId, name: "Test", currency: 0 }, now()))]);
  await fund(programId, { kind: "wallet", accountId: walletId }, amountMinor);
  return walletId;
}

/** A stored card with a cleared deposit of this amount. */
export async function givenStoredCard(
  programId: string,
  issuerCardStatus: CardStatus = 1,
  amountMinor = 0,
  cardId = newId("card"),
): Promise<string> {
  const card: Card = {
    ...zeroBalances,
    ...noEntries,
    entityId: cardId,
    cardholderId: newId("cardholder"),
    cardHolderLastName: "Lovelace",
    cardStatus: 1,
    issuerCardStatus,
    cardForm: 0,
    cardType: 0,
    bin: "400000",
    lastFour: "0002",
    expiryMonth: 12,
    expiryYear: 2099,
    cardToken: "token",
    nameOnCard: "ADA LOVELACE",
    currency: 0,
    cryptoAddresses: [],
    createdAt: timestamp(),
  };
  await table.send(
    new PutCommand({
      TableName: environment.issuingTable,
      Item: { ...cards.key(programId, cardId), ...card },
    }),
  );
  await fund(programId, { kind: "card", accountId: cardId }, amountMinor, card.cardholderId);
  return cardId;
}

async function fund(
  programId: string,
  account: Account,
  amountMinor: number,
  cardholderId?: string,
): Promise<void> {
  if (amountMinor === 0) return;
  const at = now();
  const deposit = {
    programId,
    depositId: newId("deposit"),
    account,
    amountMinor,
    currency: 0,
    status: 1,
    channel: "bank",
    cardholderId,
  } as const;
  expect(await commit(newDeposit(deposit, at).commit)).toEqual({ outcome: "committed" });
}
