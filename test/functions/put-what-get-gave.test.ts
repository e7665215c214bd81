import { beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../shared/contract/routes.ts";
import { findShowing } from "../../shared/platform/http/shown-fields.ts";
import { type GivenProgram, givenWallet } from "../harness/given-cards.ts";
import { givenPurchase, type Purchase } from "./disputes/given-dispute.ts";

type Row = Readonly<Record<string, unknown>>;
type Path = Readonly<Record<string, string>>;

let purchase: Purchase;
let program: GivenProgram;
let paths: Readonly<Record<string, () => Promise<Path>>>;

const call = async (route: string, options: object = {}) =>
  (await program.call(route as never, options as never)) as { status: number; body: Row };
const dataOf = async (route: string, options: object = {}) => {
  const { status, body } = await call(route, options);
  expect([route, status, JSON.stringify(body.errors)]).toEqual([route, 200, undefined]);
  return (body.data ?? body.items) as Row;
};

const create = async (route: string, idName: string, body: object): Promise<Path> => ({
  [idName]: String((await dataOf(route, { body }))[idName]),
});

beforeAll(async () => {
  purchase = await givenPurchase();
  program = purchase.program;
  const { cardId, cardholderId } = purchase;
  const { programId } = program;
  const walletId = await givenWallet(program, 10_000);
  const card = async () => ({ cardId });
  const inTenant = async () => ({ programId });
  paths = {
    "/cardholders/{cardholderId}": async () => ({ cardholderId }),
    "/cards/{cardId}": card,
    "/cards/{cardId}/top-up": async () => {
      const body = { walletId, threshold: 100, amount: 200, dailyMax: 1_000 };
      await dataOf("PUT /cards/{cardId}/top-up", { path: { cardId }, body });
      return { cardId };
    },
    "/wallets/{walletId}": async () => ({ walletId }),
    "/transfers/{transferId}": () =>
      create("POST /wallets/transfer", "transferId", {
        ...{ sourceWalletId: walletId, destinationType: 1, destinationId: cardId, amount: 500 },
      }),
    "/controls/{controlId}": () =>
      create("POST /controls", "controlId", { name: "No cash", cash: "block", state: "draft" }),
    "/authorization-endpoint": async () => {
      const body = { url: "https://decisions.example.com/authorizations", deadlineMs: 1_000 };
      await dataOf("PUT /authorization-endpoint", { body });
      return {};
    },
    "/disputes/{disputeId}": async () => ({
      disputeId: String(((await purchase.create()).body.data as Row).disputeId),
    }),
    "/authentication-rules": async () => ({}),
    "/token-rules": async () => ({}),
    "/webhooks/{webhookId}": () => create("POST /webhooks", "webhookId", { url: "https://example.com/hook" }),
    "/account/programs/{programId}/settings": inTenant,
    "/account/api-users/{apiUserId}": () =>
      create("POST /account/api-users", "apiUserId", { name: "one", role: "read_only" }),
    "/account/programs/{programId}/api-users/{apiUserId}": async () => ({
      programId,
      apiUserId: String(
        (
          await dataOf("POST /account/programs/{programId}/api-users", {
            path: { programId },
            body: { name: "one", role: "read_only" },
          })
        ).apiUserId,
      ),
    }),
  };
}, 120_000);

/** Where no state of GET can be PUT again, and why. */
const others: Readonly<Record<string, string>> = {
  "/cards/{cardId}/pin": "a PIN is not shown",
  "/cards/{cardId}/status": "the present status is an illegal transition, as specified",
  "/cards/{cardId}/funding": "only a Card that spends from a Wallet has one: funding.test.ts",
  "/account/programs/{programId}/card-designs/{cardType}": "a design goes to the operator: its test",
  "/account/notification-settings": "what is shown has its secret: its test",
};

const puts = routes.filter(({ method }) => method === "PUT");

const read = async (route: (typeof puts)[number], path: Path): Promise<Row> => {
  const showing = findShowing(route, routes);
  const [idName, id] = Object.entries(path).at(-1) ?? [];
  const shown = await dataOf(`GET ${showing?.path}`, { path });
  return Array.isArray(shown) ? ((shown as Row[]).find((row) => row[idName ?? ""] === id) ?? {}) : shown;
};

/** What an answer shows that does not say when it was. */
const lasting = ({ body }: { body: Row }) => {
  const { dateChanged: _, ...data } = (body.data ?? {}) as Row;
  return data;
};

test("each PUT is tried, or says why not", () => {
  expect([...Object.keys(paths), ...Object.keys(others)].toSorted()).toEqual(
    puts.map(({ path }) => path).toSorted(),
  );
});

describe.each(puts.filter(({ path }) => !(path in others)))("PUT $path", (route) => {
  test("takes what GET gave, and refuses by name what is changed of the rest", async () => {
    const path = (await paths[route.path]?.()) ?? {};
    const shown = await read(route, path);
    const whole = await call(`PUT ${route.path}`, { path, body: shown });
    expect([whole.status, JSON.stringify(whole.body.errors)]).toEqual([200, undefined]);
    const { dateChanged: _, ...after } = await read(route, path);
    const { dateChanged: __, ...before } = shown;
    expect(after).toEqual(before);
    const again = await call(`PUT ${route.path}`, { path, body: before });
    expect([again.status, lasting(again)]).toEqual([200, lasting(whole)]);
    const readOnly = Object.keys(shown).filter((name) => !(name in (route.body?.shape ?? {})));
    for (const name of readOnly) {
      const changed = await call(`PUT ${route.path}`, { path, body: { ...shown, [name]: "another" } });
      expect([changed.status, (changed.body.errors as Row[])[0]]).toMatchObject([
        422,
        { path: `body.${name}`, code: "read_only" },
      ]);
      if (String(shown[name]).length > 8)
        expect(JSON.stringify(changed.body)).not.toContain(String(shown[name]));
    }
  });
});

test("of several changed fields each is named", async () => {
  const path = (await paths["/wallets/{walletId}"]?.()) ?? {};
  const body = { walletId: "wlt_other", ledgerBalance: 1, name: "Renamed" };
  const answer = await call("PUT /wallets/{walletId}", { path, body });
  const named = (answer.body.errors as Row[]).map(({ path: at }) => at);
  expect([answer.status, named]).toEqual([422, ["body.walletId", "body.ledgerBalance"]]);
  expect((await dataOf("GET /wallets/{walletId}", { path })).name).not.toBe("Renamed");
});
