import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { handler as account } from "../../functions/account/handler.ts";
import { handler as authentications } from "../../functions/authentications/handler.ts";
import { handler as bulk } from "../../functions/bulk/handler.ts";
import { handler as cardholders } from "../../functions/cardholders/handler.ts";
import { handler as cards } from "../../functions/cards/handler.ts";
import { handler as certificates } from "../../functions/certificates/handler.ts";
import { handler as controls } from "../../functions/controls/handler.ts";
import { handler as disputes } from "../../functions/disputes/handler.ts";
import { handler as externalAccounts } from "../../functions/external-accounts/handler.ts";
import { handler as ledger } from "../../functions/ledger/handler.ts";
import { handler as otp } from "../../functions/otp/handler.ts";
import { handler as payouts } from "../../functions/payouts/handler.ts";
import { handler as reports } from "../../functions/reports/handler.ts";
import { handler as sandbox } from "../../functions/sandbox/handler.ts";
import { handler as settlements } from "../../functions/settlements/handler.ts";
import { handler as statements } from "../../functions/statements/handler.ts";
import { handler as tokens } from "../../functions/tokens/handler.ts";
import { handler as wallets } from "../../functions/wallets/handler.ts";
import { handler as webhooks } from "../../functions/webhooks/handler.ts";
import { cardholderList, cardholders as storedCardholders } from "../../shared/cardholders/cardholder.ts";
import { type Card, cards as storedCards } from "../../shared/cards/card.ts";
import { cardList } from "../../shared/cards/card-view.ts";
import { NewProgramSettings, type ProgramSettings } from "../../shared/contract/account-programs.ts";
import type { Currency } from "../../shared/contract/enums.ts";
import type { Route } from "../../shared/contract/route.ts";
import { routes } from "../../shared/contract/routes.ts";
import { listUpdate } from "../../shared/lists/entry.ts";
import type { ListKind } from "../../shared/lists/kind.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { newId } from "../../shared/platform/id.ts";
import { table } from "../../shared/platform/table/client.ts";
import type { Key } from "../../shared/platform/table/keys.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { type CardDesign, cardDesigns } from "../../shared/tenancy/programs/card-design.ts";
import { type Program, programs } from "../../shared/tenancy/programs/program.ts";
import { tenants } from "../../shared/tenancy/tenant.ts";
import { feeList } from "../../shared/transactions/fee.ts";
import { transactionList } from "../../shared/transactions/transaction.ts";
import { type Operate, operate } from "./administration.ts";
import { apiEvent, type Caller, type EventOptions } from "./api-event.ts";
import { givenWalk } from "./given-walk.ts";
import { person } from "./person.ts";
import { type Answer, replay } from "./replay.ts";

const handlers = {
  account,
  authentications,
  bulk,
  cardholders,
  cards,
  certificates,
  controls,
  ledger,
  reports,
  disputes,
  wallets,
  webhooks,
  otp,
  sandbox,
  settlements,
  statements,
  tokens,
  "external-accounts": externalAccounts,
  payouts,
};

/** Account keys of BIP-39's "abandon … about", whose private side the whole world knows. */
export const publishedKeys = {
  bitcoin:
    "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V",
  ethereum:
    "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt",
  tron: "xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd",
};

/** A new Program for each test: it sees no other test's records. */
export interface GivenProgram {
  readonly programId: string;
  /** What the authorizer says of this Program's key. */
  readonly caller: Caller;
  /** `METHOD /path/{template}`, with the Program's key or its Tenant's, by the endpoint's level. */
  call(route: EventOptions["route"], options?: Omit<EventOptions, "route" | "caller">): Promise<Answer>;
  /** As `call`, with the key of another API user of the Program. */
  readonly callAsAnother: GivenProgram["call"];
  /** Runs a command of platform administration. */
  readonly operate: Operate;
}

export interface ProgramOptions {
  readonly currency?: Currency;
  readonly settings?: Partial<ProgramSettings>;
  /** Slots with an Approved design. */
  readonly approvedSlots?: readonly number[];
}

/** A Program as the accounts table has it, with an Approved design in slot 0. */
export async function givenProgram(options: ProgramOptions = {}): Promise<GivenProgram> {
  const { currency = 0, settings = {}, approvedSlots = [0] } = options;
  const program: Program = {
    programId: newId("program"),
    tenantId: newId("tenant"),
    name: "Test",
    currency,
    settings: {
      extendedPublicKeys: publishedKeys,
      ...NewProgramSettings.parse({ clearingDelaySeconds: 0, ...settings }),
    },
    defaultWalletId: newId("wallet"),
    createdAt: timestamp(),
    createdBy: "test",
  };
  const { programId, tenantId } = program;
  await putAccountsItem({
    ...tenants.key(tenantId),
    tenantId,
    name: "Test",
    contactEmail: "contact@customer.example",
    createdAt: program.createdAt,
    createdBy: "test",
  });
  await putAccountsItem({ ...programs.key(programId), ...program });
  await givenWalk(programId);
  for (const cardType of approvedSlots) await givenDesign(programId, cardType, 1);
  const caller = { programId, tenantId, currency, apiUserId: newId("apiUser") };
  const callBy =
    (one: Caller): GivenProgram["call"] =>
    async (route, call = {}) =>
      replay(handlerOf(route), apiEvent({ ...call, route, caller: callerOf(route, one) }));
  return {
    programId,
    caller,
    operate: operate,
    call: callBy(caller),
    callAsAnother: callBy({ ...caller, apiUserId: newId("apiUser") }),
  };
}

/** The Program's key, or its Tenant's, by the endpoint's level. */
export function callerOf(route: string, caller: Caller): Caller {
  return routeOf(route).level === "tenant" ? { ...caller, level: "tenant" } : caller;
}

/** A design in the slot: 0 Pending, 1 Approved, 2 Rejected. */
export async function givenDesign(programId: string, cardType: number, status: 0 | 1 | 2): Promise<void> {
  const design: CardDesign = {
    programId,
    cardType: cardType as CardDesign["cardType"],
    name: "Design",
    status,
    submittedAt: timestamp(),
    updatedBy: "test",
  };
  await putAccountsItem({ ...cardDesigns.key(programId, cardType), ...design });
}

async function putAccountsItem(item: object): Promise<void> {
  await table.send(new PutCommand({ TableName: environment.accountsTable, Item: item }));
}

/** The handler that serves the route. */
export function handlerOf(route: string) {
  return handlers[routeOf(route).function];
}

function routeOf(route: string): Route {
  const declared = routes.find(({ method, path }) => `${method} ${path}` === route);
  if (!declared) throw new Error(`The contract has no ${route}.`);
  return declared;
}

/** The id of a new Wallet with this balance in minor units. */
export async function givenWallet(program: GivenProgram, amount = 0): Promise<string> {
  const { body } = await program.call("POST /wallets", { body: { name: "Operations" } });
  const { walletId } = body.data as { walletId: string };
  if (amount > 0) {
    await program.call("POST /wallets/{walletId}/bank-deposit", { path: { walletId }, body: { amount } });
  }
  return walletId;
}

export const ada = { ...person, nationality: "GB" } as const;

/** The id of a new Draft. */
export async function givenCardholder(program: GivenProgram, details: object = {}): Promise<string> {
  const { body } = await program.call("POST /cardholders", { body: { ...ada, ...details } });
  return body.data.cardholderId;
}

/** The id of a Cardholder that went through the standard KYC flow. */
export async function givenApprovedCardholder(program: GivenProgram, details: object = {}): Promise<string> {
  const cardholderId = await givenCardholder(program, details);
  const path = { cardholderId };
  await program.call("POST /cardholders/{cardholderId}/submit", { path, body: {} });
  await program.call("POST /cardholders/{cardholderId}/kyc-outcome", { path, body: { status: 1 } });
  return cardholderId;
}

/** The id of a Cardholder whose status was written straight into the table. */
export async function givenCardholderInStatus(program: GivenProgram, status: number): Promise<string> {
  const cardholderId = await givenCardholder(program);
  await overwrite(storedCardholders.key(program.programId, cardholderId), { status });
  return cardholderId;
}

export const shippingAddress = {
  line1: "12 St James's Square",
  city: "London",
  postalCode: "SW1Y 4JH",
  country: "GB",
};

/** The view of a new virtual Card, of a new Approved Cardholder where none is given. */
export async function givenCard(program: GivenProgram, details: Record<string, unknown> = {}) {
  const cardholderId = details.cardholderId ?? (await givenApprovedCardholder(program));
  const body = { cardholderId, cardForm: 0, cardType: 0, ...details };
  const answer = await program.call("POST /cards", { body });
  if (answer.status !== 200) throw new Error(`No card was issued: ${JSON.stringify(answer.body)}`);
  return answer.body.data as { cardId: string; cardholderId: string } & Record<string, unknown>;
}

const listsBySortKey: Readonly<Record<string, ListKind>> = {
  CARDHOLDER: cardholderList,
  CARD: cardList,
  TRANSACTION: transactionList,
  FEE: feeList,
};

/** The id of a Card whose statuses were written straight into the table. */
export async function givenCardInStatus(
  program: GivenProgram,
  status: Partial<Pick<Card, "cardStatus" | "issuerCardStatus" | "cardForm">>,
): Promise<string> {
  const { cardId } = await givenCard(program);
  await overwrite(storedCards.key(program.programId, cardId), status);
  return cardId;
}

/** Bypasses operations; updates the item's list, if any. */
export async function overwrite(key: Key, attributes: object): Promise<void> {
  const entries = Object.entries(attributes);
  const { Attributes: before = {} } = await table.send(
    new UpdateCommand({
      TableName: environment.issuingTable,
      Key: key,
      UpdateExpression: `SET ${entries.map(([name]) => `#${name} = :${name}`).join(", ")}`,
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeNames: Object.fromEntries(entries.map(([name]) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
      ReturnValues: "ALL_OLD",
    }),
  );
  const kind = listsBySortKey[key.sk.split("#")[0] ?? ""];
  if (kind === undefined || before.entityId === undefined) return;
  const [programId = "", id] = [key.pk.split("#")[0], String(before.entityId)];
  await transact([listUpdate(kind, programId, id, before, { ...before, ...attributes })]);
}
