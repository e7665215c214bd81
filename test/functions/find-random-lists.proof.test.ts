import { beforeAll, expect, test } from "vitest";
import { programLists } from "../../shared/list-kinds.ts";
import { searchKey } from "../../shared/lists/search-key.ts";
import { transferList } from "../../shared/wallets/transfer-list.ts";
import { compactNow } from "../harness/compact-now.ts";
import { givenApprovedCardholder, givenCard, givenWallet } from "../harness/given-cards.ts";
import { person } from "../harness/person.ts";
import { type Random, randomFrom, someSeed } from "../harness/random.ts";
import { givenPurchase, type Purchase } from "./disputes/given-dispute.ts";

type Row = Readonly<Record<string, unknown>>;
type Query = Record<string, string>;

/** How a filter is compared with what a row shows. */
type Test = (wanted: string, row: Row) => boolean;

interface Case {
  readonly route: string;
  readonly id: string;
  readonly orders: readonly string[];
  readonly tests: Readonly<Record<string, Test>>;
  /** What a filter is drawn from. */
  readonly values: (rows: readonly Row[]) => Readonly<Record<string, readonly unknown[]>>;
}

const seed = someSeed();
const random: Random = randomFrom(seed);
let purchase: Purchase;
let walletId: string;
let otherCardId: string;
let made = 0;

const beginsWith = (wanted: string, name: unknown) =>
  searchKey(wanted) !== "" && searchKey(String(name ?? "")).startsWith(searchKey(wanted));
const is =
  (field: string): Test =>
  (wanted, row) =>
    String(row[field]) === wanted;
const range = (field: string): Readonly<Record<string, Test>> => ({
  amountFrom: (wanted, row) => Number(row[field]) >= Number(wanted),
  amountTo: (wanted, row) => Number(row[field]) <= Number(wanted),
});
const all = (field: string, rows: readonly Row[]) => [...new Set(rows.map((row) => row[field]))];
const names = ["caf", "CAFÉ", "strasse", "o'b", "łód", "lod", "a", "zz", "'"];
const odd = ["Café Zürich", "CAFE ZURICH", "Straße 1", "O’Brien & Søn", "Łódź", "ΟΔΟΣ", "a"];
const labelsOf = (rows: readonly Row[]) => all("externalId", rows).filter(Boolean);
const merchant = (row: Row) => (row.merchant ?? {}) as Row;
const shops: Readonly<Record<string, string>> = { "5812": "M1", "5411": "M2" };
/** Each scope is a list of its own. */
const scopes = { cardId: is("cardId"), cardholderId: is("cardholderId") };
const ownScopes = () => ({ cardId: [purchase.cardId], cardholderId: [purchase.cardholderId] });

const cases: readonly Case[] = [
  {
    ...{ route: "/cards", id: "cardId", orders: ["cardId", "createdDatetime"] },
    tests: {
      lastFour: (wanted, row) => String(row.maskedCardNumber).endsWith(wanted),
      cardForm: is("cardForm"),
      name: (wanted, { cardHolderLastName: last }) =>
        [last, `${person.firstName} ${last}`].some((name) => beginsWith(wanted, name)),
      issuerCardStatus: is("status"),
    },
    values: (rows) => ({
      lastFour: rows.map(({ maskedCardNumber }) => String(maskedCardNumber).slice(-4)),
      ...{ cardForm: [0, 1], name: names, issuerCardStatus: [1, 2] },
    }),
  },
  {
    ...{ route: "/wallets/search", id: "walletId", orders: ["walletId", "name"] },
    tests: { name: (wanted, row) => beginsWith(wanted, row.name) },
    values: () => ({ name: names }),
  },
  {
    ...{ route: "/controls", id: "controlId", orders: ["controlId", "name"] },
    tests: { name: (wanted, row) => beginsWith(wanted, row.name), externalId: is("externalId") },
    values: (rows) => ({ name: names, externalId: [...labelsOf(rows), "none"] }),
  },
  {
    ...{ route: "/cards/transactions", id: "transId", orders: ["transId", "amount", "transDate"] },
    tests: {
      ...range("amount"),
      merchant: (wanted, row) => beginsWith(wanted, row.merchantName),
      ...{ mcc: is("mcc"), transType: is("transType"), referenceCode: is("referenceCode") },
      // A row does not show it: each shop has a code of its own.
      merchantId: (wanted, row) => shops[row.mcc as string] === wanted,
      ...scopes,
    },
    values: (rows) => ({
      ...{ merchantId: ["M1", "M2", "M3"], ...ownScopes() },
      ...{ amountFrom: all("amount", rows), amountTo: all("amount", rows), merchant: names },
      ...{ mcc: ["5812", "5411", "9999"], transType: all("transType", rows) },
      referenceCode: all("referenceCode", rows),
    }),
  },
  {
    ...{ route: "/authorizations", id: "authorizationId", orders: ["authorizationId", "requestedAmount"] },
    tests: {
      ...range("requestedAmount"),
      merchant: (wanted, row) => beginsWith(wanted, merchant(row).name),
      mcc: (wanted, row) => merchant(row).mcc === wanted,
      merchantId: (wanted, row) => merchant(row).id === wanted,
      merchantCountry: (wanted, row) => merchant(row).country === wanted,
      ...{ status: is("status"), ...scopes },
    },
    values: (rows) => ({
      ...{ merchantId: ["M1", "M2", "M3"], merchantCountry: ["CH", "US"], ...ownScopes() },
      ...{ amountFrom: all("requestedAmount", rows), amountTo: all("requestedAmount", rows) },
      ...{ merchant: names, mcc: ["5812", "5411"], status: ["pending", "declined"] },
    }),
  },
  {
    ...{ route: "/deposits", id: "depositId", orders: ["depositId", "amount", "dateCreated"] },
    tests: { ...range("amount"), status: is("status"), walletId: is("walletId"), cardId: is("cardId") },
    values: (rows) => ({
      ...{ walletId: [walletId], cardId: [purchase.cardId] },
      ...{ amountFrom: all("amount", rows), amountTo: all("amount", rows), status: all("status", rows) },
    }),
  },
  {
    ...{ route: "/transfers", id: "transferId", orders: ["transferId", "amount"] },
    tests: {
      ...range("requestedAmount"),
      ...{ transStatus: is("transStatus"), destinationId: is("destinationId") },
      ...{ sourceWalletId: is("sourceWalletId"), sourceCardId: is("sourceCardId") },
    },
    values: (rows) => ({
      ...{ amountFrom: all("requestedAmount", rows), amountTo: all("requestedAmount", rows) },
      ...{ transStatus: all("transStatus", rows), destinationId: all("destinationId", rows) },
      ...{ sourceWalletId: [walletId], sourceCardId: [purchase.cardId] },
    }),
  },
  {
    ...{ route: "/wallets/{walletId}/transfers", id: "transferId" },
    orders: ["transferId", "amount", "dateCreated"],
    tests: {
      ...range("requestedAmount"),
      ...{ transStatus: is("transStatus"), externalId: is("externalId") },
    },
    values: (rows) => ({
      ...{ amountFrom: all("requestedAmount", rows), amountTo: all("requestedAmount", rows) },
      ...{ transStatus: all("transStatus", rows), externalId: [...labelsOf(rows), "none"] },
    }),
  },
  {
    ...{ route: "/disputes", id: "disputeId", orders: ["disputeId", "amount"] },
    tests: { ...range("amount"), referenceCode: is("referenceCode"), status: is("status"), ...scopes },
    values: (rows) => ({
      ...ownScopes(),
      ...{ amountFrom: all("amount", rows), amountTo: all("amount", rows) },
      ...{ referenceCode: all("referenceCode", rows), status: all("status", rows) },
    }),
  },
  {
    ...{ route: "/cards/fees", id: "feeId", orders: ["feeId", "amount", "dateCreated"] },
    tests: { ...range("amount"), feeType: is("feeType"), cardId: is("cardId") },
    values: (rows) => ({
      ...{ amountFrom: all("amount", rows), amountTo: all("amount", rows) },
      ...{ feeType: all("feeType", rows), cardId: [purchase.cardId, otherCardId] },
    }),
  },
];

const call = async (method: string, route: string, options: object) =>
  (await purchase.program.call(`${method} ${route}` as never, options as never)) as {
    status: number;
    body: { items: Row[]; total: number; data: Row };
  };

async function page(route: string, query: Query) {
  const { status, body } = await call("GET", route, { path: { walletId }, query });
  expect([route, query, status]).toEqual([route, query, 200]);
  return body;
}

const cents = () => 1 + random.below(4);

async function transfer(amount: number, more: object = {}): Promise<void> {
  const to = { sourceWalletId: walletId, destinationType: 1, destinationId: purchase.cardId };
  await call("POST", "/wallets/transfer", { body: { ...to, amount, ...more } });
}

/** One more record of each kind, with few different values: many are equal. */
async function add(count: number): Promise<void> {
  const { cardId, onCard } = purchase;
  for (const end = made + count; made < end; made += 1) {
    const amount = 100 * (1 + random.below(4));
    const mcc = random.pick(["5812", "5411"]);
    const shop = { mcc, merchantId: shops[mcc], merchantCountry: random.pick(["CH", "US"]) };
    const of = { amount, merchantName: random.pick(odd), ...shop };
    await onCard("force-post", of);
    await onCard("authorizations", random.chance(0.3) ? { ...of, amount: 9_000_000 } : of);
    const { transId } = (await onCard("force-post", of)) as { transId: string };
    await call("POST", "/disputes", { body: { referenceCode: transId, reason: "not_received", amount: 50 } });
    await call("POST", "/wallets/{walletId}/bank-deposit", { path: { walletId }, body: { amount } });
    await transfer(random.chance(0.3) ? 9_000_000 : amount, { externalId: `t-${made}` });
    const charge = { feeType: random.pick([1, 2, 5]), amount: cents() };
    await call("POST", "/cards/{cardId}/fees", {
      ...{ path: { cardId: random.pick([cardId, otherCardId]) }, body: charge },
    });
    await call("POST", "/cards/{cardId}/unload", { path: { cardId }, body: { walletId, amount: 10 } });
    await call("POST", "/wallets", { body: { name: random.pick(odd) } });
    const control = { name: random.pick(odd), cash: "block", state: "draft" };
    await call("POST", "/controls", {
      body: { ...control, ...(random.chance(0.5) && { externalId: `c-${made}` }) },
    });
  }
}

beforeAll(async () => {
  process.stdout.write(`seed ${seed}\n`);
  purchase = await givenPurchase();
  const { program } = purchase;
  await purchase.onCard("bank-deposit", { amount: 10_000_000 });
  walletId = await givenWallet(program, 100_000);
  for (const lastName of ["Łódź", "Strasser", "O’Brien", "Caféine"]) {
    const cardholderId = await givenApprovedCardholder(program, { lastName } as never);
    otherCardId = (await givenCard(program, { cardholderId })).cardId;
    const address = { line1: "1 Main St", city: "London", postalCode: "SW1Y 4JH", country: "GB" };
    await givenCard(program, { cardholderId, cardForm: 1, shippingAddress: address } as never);
  }
  // More than are read without the Wallet's list.
  for (let count = 0; count < 130; count += 1) await transfer(cents());
  await add(3);
  await compactAll();
  await add(3);
}, 300_000);

async function compactAll(): Promise<void> {
  const { programId } = purchase.program;
  const ofWallet = { programId, kind: transferList, owner: walletId };
  await compactNow(...programLists.map((kind) => ({ programId, kind })), ofWallet);
}

function drawQuery({ tests, values }: Case, rows: readonly Row[]): Query {
  const drawn = Object.entries(values(rows)).filter(
    ([name, choices]) => name in tests && choices.length > 0 && random.chance(0.35),
  );
  const query = Object.fromEntries(drawn.map(([name, choices]) => [name, String(random.pick(choices))]));
  const { amountFrom, amountTo } = query;
  if (amountFrom !== undefined && amountTo !== undefined && Number(amountFrom) > Number(amountTo))
    return { ...query, amountFrom: amountTo, amountTo: amountFrom };
  return query;
}

const shown = ({ items }: { readonly items: readonly Row[] }) =>
  items.filter(({ isAggregate }) => isAggregate !== true);

test.each(cases)(
  "$route: any filters find what a plain filter finds, in any order, while more arrive",
  async (one) => {
    const { route, id, orders, tests } = one;
    for (let round = 0; round < 5; round += 1) {
      const orderBy = random.pick(orders);
      const sort = random.pick(["asc", "desc"]);
      const rows = shown(await page(route, { orderBy, sort, limit: "200" }));
      expect(rows.length).toBeGreaterThan(3);
      expect(rows.length).toBeLessThan(200);
      const query = drawQuery(one, rows);
      if (Object.keys(query).length === 0) continue;
      const fits = (row: Row) =>
        Object.entries(query).every(([name, wanted]) => tests[name]?.(wanted, row) ?? true);
      const wanted = rows.filter(fits).map((row) => row[id]);
      const limit = 1 + random.below(Math.max(4, Math.ceil(wanted.length / 4)));
      const seen: unknown[] = [];
      for (let offset = 0; offset <= wanted.length; offset += limit) {
        const got = await page(route, {
          ...query,
          orderBy,
          sort,
          limit: String(limit),
          offset: String(offset),
        });
        seen.push(...shown(got).map((row) => row[id]));
      }
      expect([query, orderBy, sort, seen]).toEqual([query, orderBy, sort, wanted]);
    }
    // By creation ascending, what arrives comes at the end: nothing is lost, nothing repeats.
    const query = { orderBy: orders[0] ?? "", sort: "asc" };
    const before = shown(await page(route, { ...query, limit: "200" })).map((row) => row[id]);
    const limit = Math.max(2, Math.ceil(before.length / 20));
    const seen: unknown[] = [];
    for (let offset = 0; offset < before.length + limit; offset += limit) {
      if (offset === 2 * limit) await add(1);
      const got = await page(route, { ...query, limit: String(limit), offset: String(offset) });
      seen.push(...shown(got).map((row) => row[id]));
    }
    expect(new Set(seen).size).toBe(seen.length);
    if (route !== "/cards/transactions" && route !== "/authorizations")
      expect(seen.slice(0, before.length)).toEqual(before);
  },
  120_000,
);
