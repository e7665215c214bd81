import { beforeAll, describe, expect, it } from "vitest";
import { readAccount } from "../../../shared/ledger/hot-wallets.ts";
import { operate } from "../../../test/harness/administration.ts";
import { disputable } from "../../../test/harness/cases/dispute-cases.ts";
import {
  givenApprovedCardholder,
  givenCard,
  givenProgram,
  givenWallet,
} from "../../../test/harness/given-cards.ts";
import type { Table } from "../page.ts";
import { column, textOf, toHref } from "./cells.ts";
import { type GivenStore, givenConsole, givenStore, sectionOf } from "./given-console.ts";

const given = givenConsole();
let store: GivenStore;
let path: string;
beforeAll(async () => {
  store = await givenStore();
  path = `/console/programs/${store.programId}/cards/${store.cardId}`;
});

async function wholeTimeline(): Promise<Table["rows"]> {
  const rows: Table["rows"][number][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const table: Table = sectionOf(await given.page(next), "table", "Timeline");
    rows.push(...table.rows);
    next = table.more?.[0]?.href;
  }
  return rows;
}

describe("a Card's page", () => {
  it("begins with holder, last four, status and the three balances", async () => {
    const { fields } = sectionOf(await given.page(path), "figures");
    const shown = Object.fromEntries(fields.map(({ name, value }) => [name, textOf(value)]));
    const account = await readAccount(store.programId, { kind: "card", accountId: store.cardId });
    expect(shown).toMatchObject({
      Holder: "Lovelace, Ada",
      "Last four": expect.stringMatching(/^•••• \d{4}$/),
      Status: expect.stringMatching(/^[A-Z]/),
      Available: `${((account?.availableMinor ?? 0) / 100).toFixed(2)} USD`,
      Held: `${((account?.heldMinor ?? 0) / 100).toFixed(2)} USD`,
      Ledger: `${((account?.ledgerMinor ?? 0) / 100).toFixed(2)} USD`,
    });
  });

  it("says what it spends from, up to which limit, and what tops it up", async () => {
    const fundingWalletId = await givenWallet(store);
    const deposit = { path: { walletId: fundingWalletId }, body: { amount: 10_000, pending: false } };
    await store.call("POST /wallets/{walletId}/deposits", deposit);
    const limit = { amount: 1_000, window: "day" };
    const { cardId } = await givenCard(store, { fundingWalletId, spendLimit: limit });
    const body = { amount: 400, merchantName: "Railway" };
    await store.call("POST /cards/{cardId}/force-post", { path: { cardId }, body });
    const other = await givenCard(store);
    const rule = { walletId: fundingWalletId, threshold: 700, amount: 500, active: true };
    await store.call("PUT /cards/{cardId}/top-up", { path: { cardId: other.cardId }, body: rule });
    const figuresIn = async (id: string) => {
      const page = await given.page(`/console/programs/${store.programId}/cards/${id}`);
      const { fields } = sectionOf(page, "figures");
      return Object.fromEntries(fields.map(({ name, value }) => [name, textOf(value)]));
    };
    expect(await figuresIn(cardId)).toMatchObject({
      "Spends from": "Wallet Operations",
      "Spend limit": "4.00 USD of 10.00 USD, day",
      Available: "0.00 USD",
    });
    expect(await figuresIn(other.cardId)).toMatchObject({ "Topped up below": "7.00 USD" });
    expect(await figuresIn(other.cardId)).not.toHaveProperty("Spend limit");
  });

  it("is a timeline of money, controls, disputes, tokens and webhooks, each once, the newest first", async () => {
    const rows = await wholeTimeline();
    const times = rows.map(([time]) => textOf(time));
    expect(times).toEqual(times.toSorted().toReversed());
    // The Card and its plastics have a row for each of their steps.
    const others = rows.filter((row) => !["Card", "Plastic"].includes(textOf(row[2])));
    const ids = others.map((row) => textOf(row.at(-1)));
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const types = new Set(rows.map((row) => textOf(row[2])));
    for (const type of [
      "Clearing",
      "Card load",
      "Fee",
      "Refund",
      "Spend control",
      "Dispute",
      "Token",
      "Webhook",
    ])
      expect([...types]).toContain(type);
  });

  it("has the Card's own steps: issued, replaced, stopped, closed", async () => {
    const { cardId } = await givenCard(store);
    const lost = { path: { cardId }, body: { reason: "lost" } };
    const replaced = await store.call("POST /cards/{cardId}/replace", lost);
    expect([replaced.status, replaced.body.code]).toEqual([200, undefined]);
    expect((await store.call("POST /cards/{cardId}/close", { path: { cardId }, body: {} })).status).toBe(200);
    const page = await given.page(`/console/programs/${store.programId}/cards/${cardId}`);
    const { rows } = sectionOf(page, "table", "Timeline");
    const steps = rows.filter((row) => ["Card", "Plastic"].includes(textOf(row[2])));
    expect(steps.map((row) => [2, 4, 5].map((index) => textOf(row[index]))).toSorted()).toEqual([
      ["Card", "Closed", "–"],
      ["Card", "Issued", "–"],
      ["Plastic", "Pending", "Lost"],
      ["Plastic", "Stopped", "Lost"],
    ]);
  });

  it("shows every webhook of the Card, and none of another one", async () => {
    const { body } = await store.call("GET /webhooks/events", { query: { limit: "50" } });
    const all = body.items as readonly { readonly transIdSc: string; readonly cardId?: string }[];
    const wanted = all.filter(({ cardId }) => cardId === store.cardId).map(({ transIdSc }) => transIdSc);
    const rows = await wholeTimeline();
    const shown = rows.filter((row) => textOf(row[2]) === "Webhook").map((row) => textOf(row.at(-1)));
    expect(wanted.length).toBeGreaterThan(3);
    expect(shown.toSorted()).toEqual(wanted.toSorted());
  });

  it("leads from each amount that moved to its journal entry", async () => {
    const table = sectionOf(await given.page(path), "table", "Timeline");
    const hrefs = column(table, "Amount").flatMap((cell) => toHref(cell) ?? []);
    expect(hrefs.length).toBeGreaterThan(5);
    for (const href of new Set(hrefs)) expect([href, (await given.get(href)).status]).toEqual([href, 200]);
  });

  it("explains what is held: open authorizations, whose amounts add up to it", async () => {
    const page = await given.page(path);
    const held = sectionOf(page, "figures").fields.find(({ name }) => name === "Held")?.value;
    const table = sectionOf(page, "table", "Why money is held");
    const sum = column(table, "Held").reduce((total, cell) => total + Number.parseFloat(textOf(cell)), 0);
    expect(`${sum.toFixed(2)} USD`).toBe(textOf(held));
    expect(
      column(table, "Until")
        .map(textOf)
        .every((at) => at > new Date().toISOString()),
    ).toBe(true);
  });
});

it("of many holds, ten stand above what happened; links lead to the others, and to each", async () => {
  const program = await givenProgram();
  const { programId, call } = program;
  const { cardId } = await givenCard(program);
  const path = { cardId };
  await call("POST /cards/{cardId}/deposits", { path, body: { amount: 10_000, pending: false } });
  const body = { amount: 100, merchantName: "Corner Shop" };
  for (let purchases = 0; purchases < 11; purchases += 1)
    await call("POST /cards/{cardId}/authorizations", { path, body });
  const page = await given.page(`/console/programs/${programId}/cards/${cardId}`);
  const { rows, summary, more } = sectionOf(page, "table", "Why money is held");
  expect([rows.length, summary]).toEqual([10, expect.stringMatching(/^11 authorizations hold 11\.00 USD/)]);
  expect(sectionOf(await given.page(more?.[0]?.href ?? ""), "table").rows).toHaveLength(11);
  const list = sectionOf(await given.page(`/console/programs/${programId}/lists/authorizations`), "table");
  for (const name of ["Merchant", "Id"]) {
    const [cell] = column(list, name);
    expect((await given.get(toHref(cell) ?? "")).text).toContain("Corner Shop");
  }
});

describe("the plastics of a Card", () => {
  it("are a chain on its page; each leads on, to those before and after it, and is found by its id", async () => {
    const { cardId } = await givenCard(store);
    const asCard = { path: { cardId } };
    for (const reason of ["damaged", "lost"])
      await store.call("POST /cards/{cardId}/replace", { ...asCard, body: { reason } });
    const { items } = (await store.call("GET /cards/{cardId}/plastics", asCard)).body;
    const page = await given.page(`/console/programs/${store.programId}/cards/${cardId}`);
    const chain = sectionOf(page, "table", "Plastics");
    expect(column(chain, "Reason").map(textOf)).toEqual(["Lost", "Damaged", "Issued"]);
    expect(column(chain, "Status").map(textOf)).toEqual(["Active", "Stopped", "Stopped"]);
    const hrefs = column(chain, "Plastic id").map(toHref).toReversed();
    for (const [place, { plasticId, maskedCardNumber, expiryYear }] of items.entries()) {
      const one = await given.page(hrefs[place] ?? "");
      expect(one.title).toContain(`${maskedCardNumber.slice(-4)}, `);
      expect(one.title).toContain(String(expiryYear));
      const beside = sectionOf(one, "links", "The chain").links.map(({ href }) => href);
      expect(beside).toEqual([hrefs[place - 1], hrefs[place + 1]].filter((href) => href !== undefined));
      const kinds = column(sectionOf(one, "table", "Account updates"), "Kind").map(textOf);
      expect(kinds.toSorted()).toEqual(["Expiry", "Number"]);
      const asked = new URLSearchParams({ id: plasticId, programId: store.programId });
      const { links } = sectionOf(await given.page(`/console/search?${asked}`), "links");
      expect(links.map(({ href }) => href)).toEqual([hrefs[place]]);
    }
    const missing = `${hrefs[0]?.slice(0, -26)}${"0".repeat(26)}`;
    expect((await given.get(missing)).status).toBe(404);
  });
});

it.each(["tokens", "authentications"])(
  "%s of a Card are listed, have a page, and are found by their id",
  async (name) => {
    const list = sectionOf(await given.page(`${path}/${name}`), "table");
    const [href = ""] = column(list, "Id").map(toHref);
    const one = await given.page(href);
    expect(sectionOf(one, "fields").fields.map(({ value }) => toHref(value))).toContain(path);
    if (name === "tokens")
      expect(column(sectionOf(one, "table", "What happened"), "Trigger").map(textOf)).toEqual(["Step up"]);
    else expect(one.title).toBe("Authentication Web Shop, 9.00 USD");
    const { links } = sectionOf(await given.page(`/console/search?id=${href.split("/").at(-1)}`), "links");
    expect(links.map((link) => link.href)).toEqual([href]);
  },
);

it("a statement ends with the ledger balance less pending deposits, and its lines lead to entries", async () => {
  const months = sectionOf(await given.page(`${path}/statements`), "table");
  const href = toHref(months.rows[0]?.[0]) ?? "";
  const page = await given.page(href);
  const closing = sectionOf(page, "figures").fields.find(({ name }) => name === "Closing")?.value;
  const account = await readAccount(store.programId, { kind: "card", accountId: store.cardId });
  const minor = (account?.ledgerMinor ?? 0) - (account?.pendingDepositMinor ?? 0);
  expect(textOf(closing)).toBe(`${(minor / 100).toFixed(2)} USD`);
  const lines = sectionOf(page, "table");
  for (const line of column(lines, "Amount").map(toHref)) {
    const found = sectionOf(await given.page(line ?? ""), "table");
    expect([line, found.rows.length > 0]).toEqual([line, true]);
  }
  expect((await given.get(`${path}/statements/2001-01`)).status).toBe(404);
});

describe("the home page", () => {
  it("shows what needs attention, each with a way there", async () => {
    const opened = await store.call("POST /disputes", await disputable(store));
    expect(opened.status).toBe(200);
    const table = sectionOf(await given.page("/console"), "table");
    const what = column(table, "What");
    expect(what.map(textOf).join()).toMatch(
      /Dead letters could not be counted.*Dispute of.*Deposits in suspense/,
    );
    for (const cell of what.slice(1)) expect((await given.get(toHref(cell) ?? "")).status).toBe(200);
  });

  it("plots approvals, declines by reason and what was posted", async () => {
    const page = await given.page("/console");
    const plots = page.sections.filter((one) => one.kind === "plot");
    expect(plots.map(({ title }) => title)).toEqual([
      "Approvals and declines",
      "Declines by reason",
      "Posted on Cards, USD",
    ]);
    const [answers, reasons] = plots;
    const declined = answers?.bars.reduce((sum, { parts }) => sum + (parts[1]?.size ?? 0), 0) ?? 0;
    expect(declined).toBeGreaterThan(0);
    expect(reasons?.bars.length).toBeGreaterThan(0);
  });
});

describe("search by what people write", () => {
  it("says what can be searched where nothing is asked for", async () => {
    const { sections } = await given.page("/console/search");
    expect(sections).toEqual([{ kind: "note", text: expect.stringMatching(/^Names are searched by/) }]);
  });

  it.each([
    ["a surname", async (): Promise<string> => "lovel", /^Cardholder Lovelace, Ada in /],
    ["both names", async (): Promise<string> => "Ada Lovelace", /^Cardholder Lovelace, Ada in /],
    ["an email", async (): Promise<string> => "ADA@example.com", /^Cardholder Lovelace, Ada in /],
    [
      "last four",
      async (): Promise<string> => textOf(await lastFour()).slice(-4),
      /^Card •••• \d{4}, Lovelace in /,
    ],
    ["an amount", async (): Promise<string> => "500.00", /^500\.00, /],
  ] as const)("finds %s", async (_, text, found) => {
    const asked = new URLSearchParams({ id: await text(), programId: store.programId });
    const { links } = sectionOf(await given.page(`/console/search?${asked}`), "links");
    expect(links[0]?.text).toMatch(found);
    expect((await given.get(links[0]?.href ?? "")).status).toBe(200);
  });

  it("finds the id that a client gave", async () => {
    const body = { name: "Travel", externalId: "client-4711" };
    const { walletId } = (await store.call("POST /wallets", { body })).body.data;
    const { links } = sectionOf(await given.page("/console/search?id=client-4711"), "links");
    expect(links.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Wallet Travel, external id client-4711 in /),
    ]);
    expect(links[0]?.href).toContain(walletId);
  });

  it("finds payouts and pulls by it, and by their own ids", async () => {
    const verified = { query: { status: "verified" } };
    const { items: accounts } = (await store.call("GET /external-accounts", verified)).body;
    const { externalAccountId } = accounts[0];
    const mandates = "GET /external-accounts/{externalAccountId}/mandates";
    const { mandateId } = (await store.call(mandates, { path: { externalAccountId } })).body.items[0];
    const body = { walletId: store.walletId, externalAccountId, amount: 310, externalId: "salary-11" };
    const { payoutId } = (await store.call("POST /payouts", { body })).body.data;
    const { pullId } = (await store.call("POST /pulls", { body: { ...body, mandateId } })).body.data;
    const { links } = sectionOf(await given.page("/console/search?id=salary-11"), "links");
    expect(links.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Payout 3\.10 USD, external id salary-11 in /),
      expect.stringMatching(/^Pull 3\.10 USD, external id salary-11 in /),
    ]);
    const ids = [payoutId, pullId];
    for (const [index, { href }] of links.entries()) {
      expect(href).toContain(ids[index]);
      const shown = JSON.stringify(await given.page(href));
      for (const value of ["salary-11", externalAccountId, store.walletId]) expect(shown).toContain(value);
    }
    const found = async (id: string) =>
      sectionOf(await given.page(`/console/search?id=${id}`), "links").links.map(({ text }) => text);
    expect(await found(pullId)).toEqual([`Pull ${pullId} of ${store.programId}`]);
    expect(await found(payoutId)).toEqual([`Payout ${payoutId} of ${store.programId}`]);
    expect(await found(externalAccountId)).toEqual([
      `External account ${externalAccountId} of ${store.programId}`,
    ]);
  });

  it("finds all deposits that have the same, the newest of many", async () => {
    const path = { walletId: store.walletId };
    const deposit = () =>
      store.call("POST /wallets/{walletId}/bank-deposit", {
        ...{ path, body: { amount: 1_250, externalId: "order-88" } },
      });
    const search = () => given.page("/console/search?id=order-88");
    const newest: string[] = [];
    for (let count = 0; count < 2; count += 1) newest.push((await deposit()).body.data.depositId);
    const { links } = sectionOf(await search(), "links");
    const title = /^Deposit Bank, 12\.50 \w{3}, external id order-88 in /;
    expect(links.map(({ text }) => title.test(text))).toEqual([true, true]);
    expect(links.map(({ href }) => href.split("/").at(-1)?.split("?")[0])).toEqual(newest);
    expect((await given.get(links[0]?.href ?? "")).status).toBe(200);
    for (let count = 0; count < 19; count += 1) newest.push((await deposit()).body.data.depositId);
    const page = await search();
    expect(sectionOf(page, "links").links).toHaveLength(20);
    expect(JSON.stringify(page)).not.toContain(newest[0]);
    expect(JSON.stringify(page)).toContain("The newest 20 of 21 records with this external id are shown.");
  });
});

async function lastFour() {
  return sectionOf(await given.page(path), "figures").fields.find(({ name }) => name === "Last four")?.value;
}

describe("an error page", () => {
  it("says what is wrong, and has a way on", async () => {
    const missing = `/console/programs/${store.programId}/lists/none`;
    const { status, text } = await given.get(missing, { accept: "text/html" });
    expect(status).toBe(404);
    expect(text).toContain("There is no list none.");
    expect(text).toContain(`href="/console/programs/${store.programId}"`);
    expect(text).toContain('role="search"');
  });

  it("leads from a record that is gone to what the audit log has of it", async () => {
    const body = {
      name: "For a day",
      cardId: store.cardId,
      state: "active",
      merchants: { mcc: { block: ["7995"] } },
    };
    const { controlId } = (await store.call("POST /controls", { body })).body.data;
    await store.call("DELETE /controls/{controlId}", { path: { controlId } });
    const gone = await given.get(`/console/programs/${store.programId}/controls/${controlId}`, {
      accept: "text/html",
    });
    const [, href = ""] = /href="([^"]*audit-log[^"]*subjectId[^"]*)"/.exec(gone.text) ?? [];
    expect([gone.status, href]).toEqual([404, expect.stringContaining(controlId)]);
    expect(sectionOf(await given.page(href), "table").rows.length).toBeGreaterThan(0);
  });
});

it("the audit log shows amounts as money", async () => {
  const { tenantId } = store.caller;
  const log = await given.page(`/console/tenants/${tenantId}/audit-log?action=payout.create`);
  const [changes] = column(sectionOf(log, "table"), "Changes");
  expect(changes).toContainEqual({ changed: "Amount", after: expect.stringMatching(/^\d+\.\d\d$/) });
});

it("a Card on hold says that the time of it is not stored", async () => {
  const { cardId } = await givenCard(store);
  const page = () => given.page(`/console/programs/${store.programId}/cards/${cardId}`);
  const summary = async () => sectionOf(await page(), "table", "Timeline").summary;
  expect(await summary()).not.toContain("on hold");
  await store.call("PUT /cards/{cardId}/status", { path: { cardId }, body: { status: 2 } });
  expect(await summary()).toContain("When it was put on hold is not stored");
});

it("the audit log shows what changed, field by field", async () => {
  await store.call("PUT /account/programs/{programId}/settings", {
    path: { programId: store.programId },
    body: { threeDSecure: false },
  });
  const { programId } = store;
  await operate("refuse-cardholder", { programId, cardholderId: await givenApprovedCardholder(store) });
  const page = await given.page(`/console/tenants/${store.caller.tenantId}/audit-log`);
  const changes = column(sectionOf(page, "table"), "Changes").flat();
  expect(changes).toContainEqual({ changed: "3-D Secure", before: "yes", after: "no" });
  const refused = { before: "Approved", after: "Declined by the operator" };
  expect(changes).toContainEqual({ changed: "Status", ...refused });
});
