import type { Context } from "aws-lambda";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type ErrorCode, errorCatalogue } from "../../../../shared/contract/errors.ts";
import { environment } from "../../../../shared/platform/environment.ts";
import { ApiError } from "../../../../shared/platform/http/api-error.ts";
import { apiHandler, routeGroup } from "../../../../shared/platform/http/api-handler.ts";
import { correlation, log } from "../../../../shared/platform/log.ts";
import { ContendedError } from "../../../../shared/platform/table/retry.ts";
import { apiEvent, demoCaller, type EventOptions } from "../../../harness/api-event.ts";
import { replay } from "../../../harness/replay.ts";
import { leastBody, probeRoutes, walletId } from "./probe-route.ts";

const operation = vi.fn();
const importOperation = async () => operation;
const operations = {
  "GET /probes/{walletId}": importOperation,
  "PUT /probes/{walletId}": importOperation,
  "POST /probes": importOperation,
  "POST /probes/{walletId}/act": importOperation,
  "GET /probes": importOperation,
  "GET /probes/all": importOperation,
  "GET /probes/{walletId}/export": importOperation,
};
const handler = apiHandler(routeGroup(async () => probeRoutes, operations));
const call = (route: EventOptions["route"], options: Omit<EventOptions, "route"> = {}) =>
  replay(handler, apiEvent({ path: { walletId }, ...options, route }));

const requestId = "00000000-0000-4000-8000-000000000000";

afterEach(() => {
  operation.mockReset();
  vi.restoreAllMocks();
});

describe("a successful answer", () => {
  it("wraps the data, and leaves out undeclared fields", async () => {
    operation.mockResolvedValue({ value: "v", secret: "s" });
    const answer = await call("GET /probes/{walletId}");
    expect(answer).toEqual({
      status: 200,
      headers: { "Content-Type": "application/json", "X-Request-Id": requestId },
      body: { status: "success", data: { value: "v" } },
    });
  });

  it("wraps a page with its limits, and leaves out undeclared fields", async () => {
    operation.mockResolvedValue({ items: [{ value: "v", secret: "s" }], total: 7, secret: "s" });
    const { body } = await call("GET /probes", { query: { limit: "1", offset: "3" } });
    expect(body).toEqual({ status: "success", items: [{ value: "v" }], total: 7, limit: 1, offset: 3 });
  });

  it.each([
    ["GET /probes/{walletId}", "a".repeat(6_199_000), 200],
    ["GET /probes/{walletId}", "a".repeat(6_201_000), "query"],
    ["GET /probes/{walletId}", '"'.repeat(1_600_000), "query"],
    ["GET /probes/{walletId}", "€".repeat(2_100_000), "query"],
    ["GET /probes", "€".repeat(2_100_000), "query.limit"],
    ["GET /probes/all", "€".repeat(2_100_000), "query"],
  ] as const)("%s is refused where Lambda would send it no more", async (route, value, expected) => {
    operation.mockResolvedValue(/\}$/.test(route) ? { value } : { items: [{ value }], total: 1 });
    const { status, body } = await call(route);
    if (expected === 200) return expect(status).toBe(200);
    const instead = route === "GET /probes/all" ? ": GET /probes answers it in pages" : "";
    const message = `must ask for less: the answer is larger than 6 MB${instead}`;
    expect([status, body.errors]).toEqual([422, [{ path: expected, code: "too_big", message }]]);
  });

  it("wraps a list without parameters as one page", async () => {
    operation.mockResolvedValue({ items: [{ value: "a" }, { value: "b" }], total: 2 });
    const { body } = await call("GET /probes/all");
    expect(body).toEqual({
      status: "success",
      items: [{ value: "a" }, { value: "b" }],
      total: 2,
      limit: 2,
      offset: 0,
    });
  });

  it("has Deprecation and Link only if the endpoint is deprecated", async () => {
    operation.mockResolvedValue({ value: "v" });
    const deprecated = await call("POST /probes/{walletId}/act");
    expect(deprecated.headers.Deprecation).toBe("@1767225600");
    expect(deprecated.headers.Link).toBe(
      `<${environment.documentationUrl}/docs/calling.html#deprecated-endpoints>; rel="deprecation"; type="text/html"`,
    );
    expect((await call("GET /probes/{walletId}")).headers).not.toHaveProperty("Deprecation");
  });
});

describe("the operation", () => {
  it("gets the caller's Program and the validated request", async () => {
    operation.mockResolvedValue({ value: "v" });
    await call("POST /probes", {
      body: leastBody,
      headers: { "Idempotency-Key": "k" },
      caller: { currency: 3 },
    });
    expect(operation).toHaveBeenCalledExactlyOnceWith({
      scope: { ...demoCaller, currency: 3 },
      requestId,
      path: {},
      query: undefined,
      body: { ...leastBody, flag: false },
      idempotency: {
        endpoint: "POST /probes",
        key: "k",
        requestHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
  });

  it("is not run for an invalid request", async () => {
    const { status, body } = await call("POST /probes", { body: { ...leastBody, amount: 0 } });
    expect(operation).not.toHaveBeenCalled();
    expect({ status, body }).toEqual({
      status: 422,
      body: {
        status: "error",
        code: "VALIDATION_FAILED",
        message: errorCatalogue.VALIDATION_FAILED.message,
        requestId,
        errors: [{ path: "body.amount", code: "too_small", message: expect.stringContaining("1") }],
      },
    });
  });
});

describe("the code of a route", () => {
  const view = vi.fn(importOperation);
  const list = vi.fn(importOperation);
  const routes = vi.fn(async () => probeRoutes);
  const own = () =>
    apiHandler(routeGroup(routes, { ...operations, "GET /probes/{walletId}": view, "GET /probes": list }));
  const viewEvent = apiEvent({ route: "GET /probes/{walletId}", path: { walletId } });

  afterEach(() => {
    for (const imported of [view, list, routes]) imported.mockClear();
  });

  it("is imported with the first request for it, alone and once", async () => {
    operation.mockResolvedValue({ value: "v" });
    const handle = own();
    expect(routes).not.toHaveBeenCalled();
    for (let request = 0; request < 3; request += 1) await replay(handle, viewEvent);
    expect([routes, view, list].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
  });

  it("is imported again after a failure", async () => {
    vi.spyOn(log, "error").mockReturnValue();
    operation.mockResolvedValue({ value: "v" });
    view.mockRejectedValueOnce(new Error("no such file"));
    const handle = own();
    expect((await replay(handle, viewEvent)).status).toBe(500);
    expect((await replay(handle, viewEvent)).status).toBe(200);
  });
});

describe("a Tenant-level key", () => {
  const caller = { level: "tenant" } as const;

  it("sees empty lists", async () => {
    const { status, body } = await call("GET /probes", { caller });
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: "success", items: [], total: 0, limit: 50, offset: 0 },
    });
    expect((await call("GET /probes/all", { caller })).body.items).toEqual([]);
    expect(operation).not.toHaveBeenCalled();
  });

  it("404: finds no other resource, and reports no fault of its request", async () => {
    expect((await call("GET /probes/{walletId}", { caller })).status).toBe(404);
    expect((await call("POST /probes", { caller, body: "{" })).status).toBe(404);
    expect(operation).not.toHaveBeenCalled();
  });
});

describe("an error", () => {
  const thrown = async (error: unknown) => {
    operation.mockRejectedValue(error);
    return call("GET /probes/{walletId}");
  };

  it.each(Object.keys(errorCatalogue) as ErrorCode[])("%s answers what the catalogue says", async (code) => {
    const { status, body, headers } = await thrown(new ApiError(code));
    expect(status).toBe(errorCatalogue[code].status);
    expect(body).toMatchObject({ status: "error", code, message: errorCatalogue[code].message, requestId });
    expect("errors" in body).toBe(status === 400 || status === 422);
    expect(headers).toMatchObject({ "Content-Type": "application/json", "X-Request-Id": requestId });
  });

  it("404: is a route that the function does not have", async () => {
    expect((await call("DELETE /probes")).body.code).toBe("NOT_FOUND");
  });

  it("500: the cause is in the log and not in the answer", async () => {
    const logged = vi.spyOn(log, "error").mockReturnValue();
    const cause = new Error("table issuing-secret is on fire");
    const { status, body } = await thrown(cause);
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain("fire");
    expect(body.code).toBe("INTERNAL");
    expect(logged).toHaveBeenCalledExactlyOnceWith("unexpected error", { error: cause });
  });

  it("500: is an answer that the contract does not declare", async () => {
    const logged = vi.spyOn(log, "error").mockReturnValue();
    operation.mockResolvedValue({ value: 1 });
    expect((await call("GET /probes/{walletId}")).status).toBe(500);
    expect(logged).toHaveBeenCalledOnce();
  });

  it("500: is a request without the authorizer's context", async () => {
    vi.spyOn(log, "error").mockReturnValue();
    const event = apiEvent({ route: "GET /probes/{walletId}", path: { walletId } });
    event.requestContext.authorizer = { principalId: "someone" };
    expect((await replay(handler, event)).status).toBe(500);
    expect(operation).not.toHaveBeenCalled();
  });

  it.each([
    ["a throttled table", { name: "ThrottlingException" }],
    ["a failing table", { name: "InternalServerError", $fault: "server" }],
    ["an unknown failure of the server's", { name: "Surprise", $fault: "server" }],
    ["a timeout", { name: "TimeoutError" }],
    ["a refused connection", { code: "ECONNREFUSED" }],
    ["a contended write", { name: "TransactionConflictException", $fault: "client" }],
  ])("503: %s may be retried", async (_, properties) => {
    vi.spyOn(log, "warn").mockReturnValue();
    const { status, body } = await thrown(Object.assign(new Error("internal"), properties));
    expect({ status, code: body.code }).toEqual({ status: 503, code: "UNAVAILABLE" });
    expect(body.message).not.toContain("internal");
  });

  it("503: is a contended transaction, 409 if its Idempotency-Key was contended", async () => {
    vi.spyOn(log, "warn").mockReturnValue();
    expect((await thrown(new ContendedError(["debit"]))).status).toBe(503);
    const { status, body } = await thrown(new ContendedError(["debit", "idempotency"]));
    expect({ status, code: body.code }).toEqual({ status: 409, code: "IDEMPOTENCY_IN_PROGRESS" });
  });
});

describe("the log", () => {
  it("names the request and its route template, never the path", async () => {
    const ids: object[] = [];
    operation.mockImplementation(async () => {
      ids.push(correlation());
      return { value: "v" };
    });
    await call("GET /probes/{walletId}");
    expect(ids).toEqual([{ requestId, route: "GET /probes/{walletId}" }]);
    expect(correlation()).toEqual({});
  });

  it("names the status of each answer, and the code of each error", async () => {
    const told = vi.spyOn(log, "info").mockReturnValue();
    operation.mockResolvedValue({ value: "v" });
    await call("GET /probes/{walletId}");
    operation.mockRejectedValue(new ApiError("NOT_FOUND"));
    await call("GET /probes/{walletId}");
    expect(told.mock.calls).toEqual([
      ["The request is answered.", { status: 200 }],
      ["The request is answered.", { status: 404, code: "NOT_FOUND" }],
    ]);
  });
});

describe("an endpoint with several formats", () => {
  const send = (options: Omit<EventOptions, "route">) => {
    const event = apiEvent({ path: { walletId }, ...options, route: "GET /probes/{walletId}/export" });
    return handler(event, { getRemainingTimeInMillis: () => 10_000 } as Context);
  };

  it("sends text in UTF-8, as it is", async () => {
    operation.mockResolvedValue({ document: "é,1\r\n", fileName: "probe.csv" });
    expect(await send({ query: { format: "csv" } })).toEqual({
      statusCode: 200,
      headers: {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": 'attachment; filename="probe.csv"',
        "X-Request-Id": expect.any(String),
      },
      body: "é,1\r\n",
    });
    expect(operation).toHaveBeenCalledWith(expect.objectContaining({ format: "csv" }));
  });

  it("sends JSON in place of a document that is still made", async () => {
    operation.mockResolvedValue({ value: "running" });
    const { headers, body } = await send({ query: { format: "csv" } });
    expect(headers).toMatchObject({ "Content-Type": "application/json" });
    expect(JSON.parse(body)).toEqual({ status: "success", data: { value: "running" } });
  });

  it("sends JSON, checked, where nothing else is wanted", async () => {
    operation.mockResolvedValue({ value: "v", secret: "s" });
    expect(JSON.parse((await send({})).body)).toEqual({ status: "success", data: { value: "v" } });
  });

  it("sends every error as JSON", async () => {
    operation.mockRejectedValue(new ApiError("ILLEGAL_TRANSITION"));
    const { headers, body } = await send({ query: { format: "csv" } });
    expect(headers).toMatchObject({ "Content-Type": "application/json" });
    expect(JSON.parse(body)).toMatchObject({ code: "ILLEGAL_TRANSITION" });
  });
});
