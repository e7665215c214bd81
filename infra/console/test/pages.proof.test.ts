import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "vitest";
import { operatorCommands } from "../../../shared/contract/operator.ts";
import { evidence } from "../../../shared/disputes/evidence.ts";
import { readAccount } from "../../../shared/ledger/hot-wallets.ts";
import { programLists } from "../../../shared/list-kinds.ts";
import { listAttributes } from "../../../shared/lists/kind.ts";
import { challenges } from "../../../shared/passcodes/passcode.ts";
import { productionBatches } from "../../../shared/plastics/production.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { newId } from "../../../shared/platform/id.ts";
import { keepRefused } from "../../../shared/platform/refused/refused-input.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { simulations } from "../../../shared/simulations/simulation.ts";
import { connections } from "../../../shared/tenancy/connections/connection.ts";
import { givenHistory } from "../../../test/harness/given-journal.ts";
import { givenStoredCard } from "../../../test/harness/given-stored.ts";
import type { Cell, Table } from "../page.ts";
import { column, textOf, toHref } from "./cells.ts";
import { type GivenStore, givenConsole, givenStore, sectionOf } from "./given-console.ts";

const given = givenConsole();
let store: GivenStore;
beforeAll(async () => {
  store = await givenStore();
});

const minorOf = (cell: Cell) =>
  Math.round(Number(textOf(cell).replace(/ .*/, "").replaceAll(",", "").replace("−", "-")) * 100);

async function wholeJournal(path: string): Promise<Table["rows"]> {
  const rows: (readonly Cell[])[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const table: Table = sectionOf(await given.page(next), "table");
    rows.push(...table.rows);
    next = table.more?.[0]?.href;
  }
  return rows;
}

describe("lists", () => {
  // The tests of lists add a kind of their own, which no record has.
  const kinds = programLists.filter(({ name }) => name !== "holds" && name !== "plain");
  it.each(kinds.map((kind) => [kind.name, kind] as const))(
    "%s filters and sorts by each attribute of its kind",
    async (name, kind) => {
      const path = `/console/programs/${store.programId}/lists/${name}`;
      const table = sectionOf(await given.page(path), "table");
      expect(table.rows.length).toBeGreaterThan(0);
      expect(table.filters?.map((filter) => filter.name)).toEqual([...kind.filters, "from", "to"]);
      for (const { href } of table.columns.filter((one) => one.href !== undefined)) {
        const sorted = sectionOf(await given.page(href ?? ""), "table");
        expect(sorted.rows).toHaveLength(table.rows.length);
      }
      // Its list is sorted by these too, but they are on no page.
      const isHidden = (name: string) => /^(email|phone|sought.*)$/.test(name);
      const orders = kind.orders.filter((order) => !isHidden(order));
      expect(table.columns.filter((one) => one.href)).toHaveLength(2 + kind.filters.length + orders.length);
      expect(table.columns.length).toBeGreaterThanOrEqual(2 + listAttributes(kind).length - 4);
    },
  );

  it("a filter by a code shows the matching records, and their count", async () => {
    const path = `/console/programs/${store.programId}/lists/transactions`;
    const cleared = sectionOf(await given.page(`${path}?transType=54`), "table");
    expect(column(cleared, "Type").map(textOf)).toEqual(["Refund"]);
    expect(cleared.summary).toBe("1 to 1 of 1.");
    expect(sectionOf(await given.page(`${path}?to=2001-01-01`), "table").summary).toBe("None of 0.");
  });
});

describe("figures", () => {
  it("a Card's and a Wallet's balances are the sums of the entries that they link to", async () => {
    for (const [kind, id] of [
      ["card", store.cardId],
      ["wallet", store.walletId],
    ] as const) {
      const page = await given.page(`/console/programs/${store.programId}/${kind}s/${id}`);
      const balances = sectionOf(page, "fields").fields.filter(({ name }) =>
        /^(Available|Held|Pending deposits|Ledger)$/.test(name),
      );
      const [href] = [...new Set(balances.map(({ value }) => toHref(value)))];
      const rows = await wholeJournal(href ?? "");
      const account = await readAccount(store.programId, { kind, accountId: id });
      expect(rows.length).toBe(account?.entries);
      const sums = [2, 3, 4, 5].map((index) =>
        rows.reduce((sum, row) => sum + minorOf(row[index] as Cell), 0),
      );
      expect(sums).toEqual([
        account?.availableMinor,
        account?.heldMinor,
        account?.pendingDepositMinor,
        account?.ledgerMinor,
      ]);
      expect(balances.map(({ value }) => minorOf(value))).toEqual(sums);
    }
  });

  it("each amount of a statement leads to the entry with its postings, whose sum is zero", async () => {
    for (const [path, name] of [
      [`cards/${store.cardId}/transactions`, "Amount"],
      [`cards/${store.cardId}/fees`, "Amount"],
      [`wallets/${store.walletId}/walletTransactions`, "Amount"],
      [`wallets/${store.walletId}/transfers`, "Requested"],
    ]) {
      const table = sectionOf(await given.page(`/console/programs/${store.programId}/${path}`), "table");
      const hrefs = column(table, name ?? "")
        .filter((cell) => minorOf(cell) !== 0)
        .map(toHref);
      const moved = hrefs.filter((href) => href !== undefined);
      expect(moved.length).toBeGreaterThan(0);
      for (const href of moved) {
        const page = await given.page(href);
        if (href.includes("related=")) continue;
        expect(sectionOf(page, "table", "Postings").summary).toBe("Their sum is 0.00 USD.");
      }
    }
  });

  it("a hold, a dispute and a deposit lead to their entries only", async () => {
    const { programId, cardId, chargebackId } = store;
    const deposits = sectionOf(
      await given.page(`/console/programs/${programId}/wallets/${store.walletId}/deposits`),
      "table",
    );
    const figure = async (path: string, wanted: string) => {
      const page = await given.page(`/console/programs/${programId}/${path}`);
      return toHref(sectionOf(page, "fields").fields.find(({ name }) => name === wanted)?.value);
    };
    const hrefs = [
      await figure("holds/cleared", "Requested"),
      await figure("holds/cleared", "Cleared"),
      await figure(`disputes/${chargebackId}`, "Amount"),
      await figure(`disputes/${chargebackId}`, "Disputed at first"),
      toHref(column(deposits, "Amount")[0]),
    ];
    const all = await wholeJournal(`/console/programs/${programId}/accounts/${cardId}`);
    const counts = await Promise.all(hrefs.map(async (href) => (await wholeJournal(href ?? "")).length));
    expect(counts.every((count) => count > 0 && count < all.length)).toBe(true);
    expect(counts).toEqual([6, 6, 2, 2, 1]);
  });
});

it("a deposit in suspense leads to its entry, and to the command that assigns it", async () => {
  const lists = ["suspense", "open-suspense"].map(
    (name) => `/console/programs/${store.programId}/lists/${name}`,
  );
  for (const path of lists) {
    const page = sectionOf(await given.page(path), "table");
    const href = toHref(column(page, "Amount")[0]);
    expect(await wholeJournal(href ?? "")).toHaveLength(1);
    const record = await given.page(toHref(page.rows[0]?.at(-1)) ?? "");
    expect(sectionOf(record, "commands").commands[0]?.line).toContain("assign-suspense");
  }
});

describe("long journals", () => {
  it("are read page by page, each entry once, the newest first", async () => {
    const cardId = await givenStoredCard(store.programId);
    const account = { kind: "card", accountId: cardId } as const;
    await givenHistory({
      programId: store.programId,
      account,
      count: 130,
      since: new Date(Date.now() - 1_000_000),
    });
    const rows = await wholeJournal(`/console/programs/${store.programId}/accounts/${cardId}`);
    expect(rows).toHaveLength(130);
    expect(new Set(rows.map((row) => textOf(row.at(-1)))).size).toBe(130);
    const times = rows.map(([time]) => textOf(time));
    expect(times).toEqual(times.toSorted().toReversed());
  });
});

describe("commands", () => {
  it("are the operator's, with the ids of their page", async () => {
    const lines: string[] = [];
    const { programId, cardId, cardholderId, caller } = store;
    for (const path of [
      `programs/${programId}/cards/${cardId}`,
      `programs/${programId}/cardholders/${cardholderId}`,
      `programs/${programId}`,
      `tenants/${caller.tenantId}`,
    ])
      lines.push(
        ...sectionOf(await given.page(`/console/${path}`), "commands").commands.map(({ line }) => line),
      );
    expect(lines.length).toBeGreaterThan(8);
    for (const line of lines) {
      const [, command = "", input = ""] = /^npm run operator -- (\S+) '(.*)'$/.exec(line) ?? [];
      const { input: schema } = operatorCommands[command as keyof typeof operatorCommands];
      const filled = JSON.parse(input.replaceAll("<range>", "10.0.0.0/8"));
      expect([line, schema.safeParse(filled).error?.issues]).toEqual([line, undefined]);
    }
  });
});

describe("search", () => {
  it.each([
    ["a Program", () => store.programId, "Program"],
    ["a Tenant", () => store.caller.tenantId, "Tenant"],
    ["a Card", () => store.cardId, "Card"],
    ["a Cardholder", () => store.cardholderId, "Cardholder"],
    ["a Wallet", () => store.walletId, "Wallet"],
    ["a spend control", () => store.controlId, "Spend control"],
    ["a dispute", () => store.chargebackId, "Dispute"],
    ["a notification", () => store.transIdSc, "Notification"],
    ["a webhook endpoint", () => store.webhookId, "Webhook endpoint"],
    ["an authorization", () => "cleared", "Authorization"],
  ])("finds %s by its id, in all Programs", async (_, id, title) => {
    const page = await given.page(`/console/search?id=${id()}`);
    const [found] = sectionOf(page, "links").links;
    expect(found?.text).toContain(title);
    expect((await given.get(found?.href ?? "")).status).toBe(200);
  });

  it("finds transactions, fees, transfers and Wallets' entries, which lead to their postings", async () => {
    const ids = await Promise.all(
      [
        "lists/transactions?transType=54",
        "lists/fees",
        `wallets/${store.walletId}/transfers`,
        `wallets/${store.walletId}/walletTransactions`,
      ].map(async (path) => {
        const table = sectionOf(await given.page(`/console/programs/${store.programId}/${path}`), "table");
        return textOf(column(table, "Id").at(-1));
      }),
    );
    for (const id of ids) {
      const page = await given.page(`/console/search?id=${id}&programId=${store.programId}`);
      const [found] = sectionOf(page, "links").links;
      expect([id, (await given.get(found?.href ?? "")).status]).toEqual([id, 200]);
    }
  });

  it("finds what has no page of its own, on the page of its Program, Tenant or dispute", async () => {
    const made = async (field: string, ...call: Parameters<GivenStore["call"]>) => {
      const { body } = await store.call(...call);
      return String(body.data[field]);
    };
    const { chargebackId: disputeId } = store;
    const [simulationId, challengeId, evidenceId, batchId] = [
      newId("simulation"),
      newId("challenge"),
      newId("evidence"),
      newId("batch"),
    ];
    const connectionId = newId("connection");
    const http = "http" as const;
    const former = { connectionId, adapter: http, secret: "whsec_replaced", acceptedUntil: timestamp() };
    const connected = connections.at(store.programId, "compliance");
    const replacing = await connected.updateNow({ set: { replaced: [former] } });
    expect(replacing.updated).toBe(true);
    for (const Item of [
      productionBatches.at(store.programId, batchId).key,
      simulations.at(store.programId, simulationId).key,
      challenges.key(store.programId, challengeId),
      { ...evidence.at(store.programId, disputeId, evidenceId).key, disputeId },
    ])
      await table.send(new PutCommand({ TableName: environment.issuingTable, Item }));
    const { programId } = store;
    const { tenantId } = store.caller;
    const ticket = await store.call("POST /account/tickets", { body: { subject: "a", message: "b" } });
    const { ticketId } = ticket.body.data;
    const [connection] = (
      await store.call("GET /account/programs/{programId}/connections", { path: { programId } })
    ).body.items;
    const expected = [
      [
        await made("replayId", "POST /webhooks/events/redeliver", { body: { since: timestamp() } }),
        programId,
      ],
      [simulationId, programId],
      [challengeId, programId],
      [batchId, programId],
      [connection.connectionId, programId],
      [connectionId, programId],
      [ticketId, tenantId],
      [await made("apiUserId", "POST /account/api-users", { body: { name: "Backend" } }), tenantId],
      [evidenceId, disputeId],
    ] as const;
    for (const [id, owner] of expected) {
      const page = await given.page(`/console/search?id=${id}`);
      const [found] = sectionOf(page, "links").links;
      expect(found?.href).toContain(owner);
      expect([id, (await given.get(found?.href ?? "")).status]).toEqual([id, 200]);
    }
  });

  it("shows a Tenant's newest tickets", async () => {
    const page = await given.page(`/console/tenants/${store.caller.tenantId}`);
    const table = sectionOf(page, "table", "Newest tickets");
    expect(column(table, "Subject").map(textOf)).toContain("a");
  });

  it("shows what a Tenant's keys may", async () => {
    const body = { name: "Reader", role: "custom", operations: ["cards:read"] };
    for (const one of [body, { name: "Backend" }]) await store.call("POST /account/api-users", { body: one });
    const page = await given.page(`/console/tenants/${store.caller.tenantId}`);
    const table = sectionOf(page, "table", "API users");
    const roles = column(table, "Role").map(textOf);
    expect(roles).toContain("Everything");
    expect(roles).toContain("Custom");
    expect(column(table, "Operations").map(textOf).join()).toContain("cards:read");
  });

  it("finds a refused input that has no Program, and shows neither the input nor the reason", async () => {
    const refusedId = await keepRefused({ port: "bank", reason: "Not XML.", input: "what-came" });
    const [found] = sectionOf(await given.page(`/console/search?id=${refusedId}`), "links").links;
    const { status, text } = await given.get(found?.href ?? "");
    expect(status).toBe(200);
    expect(text).toContain(refusedId);
    expect(text).not.toMatch(/what-came|Not XML/);
    expect((await given.get("/console/refused/FIRST%23digest")).status).toBe(404);
  });

  it("finds a request in the audit log", async () => {
    const audited = await store.call("GET /account/audit-log");
    const { requestId } = audited.body.items[0];
    const [found] = sectionOf(await given.page(`/console/search?id=${requestId}`), "links").links;
    const table = sectionOf(await given.page(found?.href ?? ""), "table");
    expect(new Set(column(table, "Request id").map(textOf))).toEqual(new Set([requestId]));
  });

  it.each(["constructor_1", "toString", "__proto___1"])("finds nothing for %s", async (id) => {
    const { status, text } = await given.get(`/console/search?id=${id}`);
    expect([status, text.includes("Nothing was found.")]).toEqual([200, true]);
  });

  it("says what was searched if nothing is found, and shows no markup", async () => {
    const { status, text } = await given.get(
      `/console/search?id=${encodeURIComponent("<img src=x onerror=alert(1)>'\"")}`,
    );
    expect(status).toBe(200);
    expect(text).toContain("Nothing was found.");
    expect(text).not.toContain("<img");
  });
});
