import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { errorCatalogue } from "../../../shared/contract/errors.ts";
import { operationId, pathParameterNames } from "../../../shared/contract/route.ts";
import { routeErrors, routeStatuses, routes } from "../../../shared/contract/routes.ts";

const keyed = routes.map((route) => [`${route.method} ${route.path}`, route] as const);

/** Every endpoint that the specification names for what the platform does so far. */
const specified = `
  GET /cardholders | GET /cardholders/{cardholderId} | DELETE /cardholders/{cardholderId}
  POST /cardholders/{cardholderId}/register-wallet-address
  GET /cards | GET /cards/transactions | GET /cards/fees | GET /cards/{cardId} | GET /cards/{cardId}/status | PUT /cards/{cardId}/status | GET /cards/{cardId}/balance
  POST /cards/{cardId}/bank-deposit | POST /cards/{cardId}/deposit
  GET /wallets | GET /wallets/{walletId} | POST /wallets/transfer
  POST /wallets/{walletId}/bank-deposit | POST /wallets/{walletId}/deposit`;

describe("the contract's routes", () => {
  it("are each declared once", () => {
    const keys = routes.map(
      (route) => `${route.api} ${route.method} ${route.path.replace(/\{\w+\}/g, "{}")}`,
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("hold every endpoint of the specification", () => {
    const declared = keyed.map(([key]) => key);
    for (const endpoint of specified
      .split(/\||\n/)
      .map((line) => line.trim())
      .filter(Boolean)) {
      expect(declared).toContain(endpoint);
    }
  });

  it("are served by functions that there are", () => {
    const folders = readdirSync(new URL("../../../functions", import.meta.url));
    for (const [key, route] of keyed) expect(folders, key).toContain(route.function);
  });

  it.each(keyed)("%s: declares 404 exactly if it names a record", (key, route) => {
    // The list is that of one Card or Cardholder; other queries only filter by an id. A Program has
    // at most one authorization endpoint. A dispute names its transaction by a reference code, a
    // deposit its Card by an address.
    const isOfOneRecord =
      ["GET /otp/listeners", "POST /disputes", "POST /deposits"].includes(key) ||
      /^(?!PUT)\w+ \/authorization-endpoint/.test(key);
    const namesRecord =
      isOfOneRecord || pathParameterNames(route.path).length > 0 || references(route.body).length > 0;
    expect(routeStatuses(route).includes(404)).toBe(namesRecord);
  });

  it.each(keyed)("%s: declares no error twice, and statuses in order", (_, route) => {
    expect(new Set(route.errors).size).toBe(route.errors.length);
    const [success, ...failures] = routeStatuses(route);
    expect(success).toBe(200);
    expect(failures).toEqual(failures.toSorted((left, right) => left - right));
    expect(new Set(failures)).toEqual(new Set(routeErrors(route).map((code) => errorCatalogue[code].status)));
  });

  it("have ids of their own, made of the function's name and that of the operation in its handler", () => {
    const ids = keyed.map(([, route]) => operationId(route));
    expect(new Set(ids).size).toBe(ids.length);
    for (const [key, { function: folder, operation }] of keyed) {
      const handler = readFileSync(`functions/${folder}/handler.ts`, "utf8");
      const [, imported = ""] = handler.split(`"${key}": `);
      // One that is made of another's parts is `return transferWith(recordOnCard)`.
      const name = imported.match(/(?:\)\.|return )(\w+?)(?:With)?[,(]/)?.[1];
      // One that does it for a Tenant and for a Program names neither.
      if (name !== operation) expect(name, key).toBe(operation.replace(/Tenant|Program/, ""));
    }
  });

  it.each(keyed)("%s: takes a body only with POST and PUT, a query only with GET", (_, route) => {
    if (route.body) expect(["POST", "PUT"]).toContain(route.method);
    if (route.query) expect(route.method).toBe("GET");
    if (route.movesFunds) expect(route.method).toBe("POST");
  });

  it("honour Idempotency-Key wherever a caller moves money, and nowhere else", () => {
    const moving = keyed.filter(([, route]) => route.api === "platform" && route.movesFunds);
    expect(moving.map(([key]) => key).toSorted()).toEqual([
      ...["POST /authentications/{authenticationId}/outcome", "POST /cards/{cardId}/bank-deposit"],
      ...["POST /cards/{cardId}/close", "POST /cards/{cardId}/renew", "POST /cards/{cardId}/replace"],
      ...["POST /cards/{cardId}/unload", "POST /deposits/{depositId}/cancel", "POST /disputes"],
      ...["POST /disputes/{disputeId}/escalate", "POST /disputes/{disputeId}/submit"],
      ...["POST /disputes/{disputeId}/withdraw", "POST /disputes/{disputeId}/write-off", "POST /payouts"],
      ...["POST /payouts/{payoutId}/approve", "POST /payouts/{payoutId}/cancel"],
      ...["POST /payouts/{payoutId}/decline", "POST /pulls", "POST /pulls/{pullId}/cancel"],
      ...["POST /wallets/transfer", "POST /wallets/{walletId}/bank-deposit"],
    ]);
  });
});

/** Fields of a body that name another record. */
function references(body: z.ZodObject | undefined): string[] {
  return Object.keys(body?.shape ?? {}).filter((name) => name !== "externalId" && /Id$/.test(name));
}
