import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Route } from "../../shared/contract/route.ts";
import { routes } from "../../shared/contract/routes.ts";
import { nameKey } from "../../shared/lists/name-key.ts";
import type { CaseRequest } from "../harness/cases/case.ts";
import { contractCases } from "../harness/cases/cases.ts";
import { type GivenProgram, givenCardholder, givenProgram } from "../harness/given-cards.ts";
import { skipLeaseWaits } from "../harness/lease-waits.ts";

type Row = Readonly<Record<string, unknown>>;
type Query = Readonly<Record<string, string>>;

/** What a row shows of a parameter that it has under another name, or within another field. */
const shown: Readonly<Record<string, (row: Row) => unknown>> = {
  issuerCardStatus: ({ status }) => status,
  feeStatus: ({ transStatus }) => transStatus,
  lastFour: ({ maskedCardNumber }) => String(maskedCardNumber).slice(-4),
  amount: ({ amount, requestedAmount }) => requestedAmount ?? amount,
  mcc: ({ mcc, merchant }) => mcc ?? (merchant as Row | undefined)?.mcc,
  merchantId: ({ merchantId, merchant }) => merchantId ?? (merchant as Row | undefined)?.id,
  merchantCountry: ({ merchant }) => (merchant as Row | undefined)?.country,
};
const names: readonly string[] = ["name", "lastName", "cardHolderLastName"];
/**
 * What the rows below do not show. The first ones are drawn by find-random-lists and find-random.
 * The others are in tests of labels, deposits, statements, schedules, subscriptions, deliveries.
 */
const foundElsewhere: Readonly<Record<string, readonly string[]>> = {
  any: ["name", "merchant", "merchantId", "email", "phone", "amountFrom", "amountTo"],
  "/cardholders": ["externalId"],
  "/deposits": ["externalId"],
  "/wallets/{walletId}/transfers": ["externalId"],
  "/wallets/{walletId}/transactions": ["cardId"],
  "/reports": ["scheduleId"],
  "/otp/listeners": ["cardholderId"],
  "/webhooks/events/{transIdSc}/attempts": ["webhookId"],
};

const readShown = (row: Row, parameter: string) => (shown[parameter] ?? ((one) => one[parameter]))(row);
const timeOf = ({ dateCreated, createdDatetime }: Row) =>
  Date.parse(String(dateCreated ?? createdDatetime)) / 1000;
/** The line of open holds is before all others, whatever the order. */
const isRow = ({ isAggregate }: Row) => isAggregate !== true;

/** Filters of which all rows below show the same value: the lists' own tests show others. */
const sameElsewhere: Readonly<Record<string, string>> = {
  "/bulk": "status",
  "/cards/fees": "feeStatus",
  "/reports": "status",
  "/account/tickets": "status",
  "/wallets/{walletId}/transfers": "transStatus",
  "/wallets/{walletId}/transactions": "type",
  "/otp/listeners": "cardId",
};

/** A bulk has no results before it is done: bulk.test has their pages. */
const lists = routes.filter(
  ({ responseKind, query, path }: Route) =>
    responseKind === "list" && query !== undefined && path !== "/bulk/{bulkId}/results",
);
const filtersOf = ({ query, path }: Route) => {
  const others = ["orderBy", "sort", "before", "after", "limit", "offset"];
  const left = [...others, ...(foundElsewhere.any ?? []), ...(foundElsewhere[path] ?? [])];
  return Object.keys(query?.shape ?? {}).filter((name) => !left.includes(name));
};
const ordersOf = ({ query }: Route) => {
  const { orderBy } = (query?.shape ?? {}) as { orderBy?: { unwrap(): { options: readonly string[] } } };
  return orderBy?.unwrap().options ?? [];
};

let program: GivenProgram;
let filled: Promise<number> | undefined;

/** What another record of the kind has, where all of them have the same without it. */
const others: Readonly<Record<string, object>> = {
  "/controls": { cardId: undefined, cardholderId: "" },
  "/external-accounts": { cardholderId: "" },
  "/cards/{cardId}/token-requests": { wallet: "google_pay" },
  "/payouts": { amount: 77 },
  "/pulls": { amount: 77 },
  "/reports": { kind: "cards" },
};

/** Each operation is called once or twice: together they leave records of each kind and state. */
async function fill(): Promise<number> {
  program = await givenProgram({ settings: { threeDSecure: true } });
  const cardholderId = await givenCardholder(program);
  let made = 0;
  const send = async (route: Route, request: CaseRequest) => {
    const key = `${route.method} ${route.path}` as const;
    const isLabelled =
      route.method === "POST" && route.body !== undefined && "externalId" in route.body.shape;
    const label = isLabelled && { externalId: `label-${++made}` };
    const body = label ? { ...(request.body as object), ...label } : request.body;
    const answer = await program.call(key, { ...request, body });
    expect([key, answer.status, JSON.stringify(answer.body)]).toEqual([key, 200, expect.anything()]);
  };
  for (const { route, code, prepare, manualIssuance } of contractCases()) {
    if (code !== "OK" || manualIssuance || route.method === "GET") continue;
    await send(route, await prepare(program));
    const other = others[route.path];
    if (route.method !== "POST" || other === undefined) continue;
    const { body, ...request } = await prepare(program);
    const changed = { ...(body as object), ...other, ...("cardholderId" in other && { cardholderId }) };
    await send(route, { ...request, body: changed });
  }
  return Date.now();
}

skipLeaseWaits();
beforeEach(async () => {
  filled ??= fill();
  vi.useFakeTimers({ toFake: ["Date"], now: (await filled) + 60_000, shouldAdvanceTime: true });
}, 300_000);

describe.each(lists)("$method $path", (route: Route) => {
  const key = `${route.method} ${route.path}` as const;
  const orders = ordersOf(route);

  async function givenRows() {
    const found = contractCases().find((one) => one.route === route && one.code === "OK");
    const { path, query: { cardId, cardholderId } = {} } = (await found?.prepare(program)) ?? {};
    // Only of whom subscriptions are has to be said.
    const needed = route.path === "/otp/listeners" ? { ...(cardId ? { cardId } : { cardholderId }) } : {};
    const page = async (query: Query): Promise<{ items: Row[]; total: number }> => {
      const request = { ...(path && { path }), query: { ...needed, ...query } };
      const { status, body } = await program.call(key, request as never);
      expect([status, body.status, JSON.stringify(body.errors)]).toEqual([200, "success", undefined]);
      return body;
    };
    const all = async (query: Query): Promise<Row[]> => {
      const { items, total } = await page({ ...query, limit: "200" });
      while (items.length < total) {
        const more = await page({ ...query, limit: "200", offset: `${items.length}` });
        expect([more.total, more.items.length > 0]).toEqual([total, true]);
        items.push(...more.items);
      }
      return items;
    };
    const whole = await all({});
    const idName = orders.find((name) => /(Id|IdSc)$/.test(name));
    const idsOf = (items: readonly Row[]) =>
      items.map((row) => String(idName ? row[idName] : JSON.stringify(row)));
    return { page, all, whole, rows: whole.filter(isRow), idsOf, idName };
  }

  test.each(orders)(
    "by %s: values in order, then ids; pages of any size are the whole list, both ways",
    async (orderBy) => {
      const { page, all, whole, idsOf, idName } = await givenRows();
      const ascending = await all({ orderBy, sort: "asc" });
      const rows = ascending.filter(isRow);
      const sortKey = (row: Row) => {
        const value = readShown(row, orderBy) ?? (names.includes(orderBy) ? row.firstName : undefined);
        return names.includes(orderBy) ? nameKey(String(value ?? "")) : (value as string | number);
      };
      for (const [index, row] of rows.entries()) {
        const before = rows[index - 1];
        if (!before) continue;
        expect(sortKey(before) <= sortKey(row), `${sortKey(before)} before ${sortKey(row)}`).toBe(true);
        if (idName && sortKey(before) === sortKey(row))
          expect(String(before[idName]) < String(row[idName])).toBe(true);
      }
      expect(idsOf(ascending).toSorted()).toEqual(idsOf(whole).toSorted());
      const heads = idsOf(ascending.filter((row) => !isRow(row)));
      const limit = Math.min(200, Math.max(1, Math.ceil(whole.length / 3)));
      for (const sort of ["asc", "desc"]) {
        const seen: string[] = [];
        for (let offset = 0; offset < whole.length + limit; offset += limit) {
          const one = await page({ orderBy, sort, limit: `${limit}`, offset: `${offset}` });
          expect(one).toMatchObject({ total: whole.length, limit, offset });
          seen.push(...idsOf(one.items));
        }
        const ids = idsOf(rows);
        expect(seen).toEqual([...heads, ...(sort === "asc" ? ids : ids.toReversed())]);
      }
    },
  );

  test("each filter leaves what shows its value; several must all hold; times exclude their own moment", async () => {
    const { all, rows, idsOf } = await givenRows();
    const expectOnly = async (query: Query, fits: (row: Row) => boolean) => {
      const found = (await all(query)).filter(isRow);
      expect([query, idsOf(found)]).toEqual([query, idsOf(rows.filter(fits))]);
    };
    const filters = filtersOf(route);
    for (const filter of filters) {
      const values = [...new Set(rows.map((row) => readShown(row, filter)))].filter(
        (value) => value !== undefined,
      );
      // It leaves something out.
      const isMet =
        sameElsewhere[route.path] === filter || rows.some((row) => readShown(row, filter) !== values[0]);
      expect([filter, values.length > 0 && isMet]).toEqual([filter, true]);
      for (const value of values.slice(0, 4))
        await expectOnly({ [filter]: String(value) }, (row) => readShown(row, filter) === value);
    }
    // Of one row, then each second one of another: that fits none, or few.
    for (const [index, row] of rows.slice(0, 3).entries())
      for (const other of [row, rows[index + 1] ?? row]) {
        const wanted = filters
          .map((filter, at) => [filter, readShown(at % 2 === 0 ? row : other, filter)] as const)
          .filter(([, value]) => value !== undefined);
        const query = Object.fromEntries(wanted.map(([filter, value]) => [filter, String(value)]));
        await expectOnly(query, (one) => wanted.every(([filter, value]) => readShown(one, filter) === value));
      }
    if (!("before" in (route.query?.shape ?? {}))) return;
    const second = Math.floor(timeOf(rows[Math.floor(rows.length / 2)] ?? {}));
    if (Number.isNaN(second)) return;
    await expectOnly({ before: `${second}` }, (row) => timeOf(row) < second);
    await expectOnly({ after: `${second}` }, (row) => timeOf(row) > second);
    await expectOnly(
      { after: `${second - 1}`, before: `${second + 1}` },
      (row) => timeOf(row) > second - 1 && timeOf(row) < second + 1,
    );
    await expectOnly({ after: `${second}`, before: `${second}` }, () => false);
  });
});
