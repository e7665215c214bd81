import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "vitest";
import { productionBatches } from "../../../shared/cards/production.ts";
import { evidence } from "../../../shared/disputes/evidence.ts";
import { challenges } from "../../../shared/passcodes/passcode.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { newId } from "../../../shared/platform/id.ts";
import { keepRefused } from "../../../shared/platform/refused/refused-input.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { simulations } from "../../../shared/simulations/simulation.ts";
import { connections } from "../../../shared/tenancy/connections/connection.ts";
import { column, textOf } from "./cells.ts";
import { type GivenStore, givenConsole, givenStore, sectionOf } from "./given-console.ts";

const given = givenConsole();
let store: GivenStore;
beforeAll(async () => {
  store = await givenStore();
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
    const { ticketId, comments } = ticket.body.data;
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
      [comments[0].commentId, tenantId],
      [await made("entryId", "POST /account/ip-allowlist", { body: { cidr: "192.0.2.7" } }), tenantId],
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
    expect([status, text.includes("Nothing has this id.")]).toEqual([200, true]);
  });

  it("says what was searched if nothing is found, and shows no markup", async () => {
    const { status, text } = await given.get(
      `/console/search?id=${encodeURIComponent("<img src=x onerror=alert(1)>'\"")}`,
    );
    expect(status).toBe(200);
    expect(text).toContain("Nothing has this id.");
    expect(text).not.toContain("<img");
  });
});
