import type { Context } from "aws-lambda";
import { describe, expect, it, vi } from "vitest";
import { ApiError } from "../../../../shared/platform/http/api-error.ts";
import { apiHandler, routeGroup } from "../../../../shared/platform/http/api-handler.ts";
import { apiEvent, type EventOptions } from "../../../harness/api-event.ts";
import { exportProbe, walletId } from "./probe-route.ts";

const operation = vi.fn();
const handler = apiHandler(
  routeGroup(async () => [exportProbe], { "GET /probes/{walletId}/export": async () => operation }),
);
const call = async (options: Omit<EventOptions, "route">) => {
  const event = apiEvent({ path: { walletId }, ...options, route: "GET /probes/{walletId}/export" });
  return handler(event, { getRemainingTimeInMillis: () => 10_000 } as Context);
};

describe("an endpoint with several formats", () => {
  it("sends text in UTF-8, as it is", async () => {
    operation.mockResolvedValue({ document: "é,1\r\n", fileName: "probe.csv" });
    expect(await call({ query: { format: "csv" } })).toEqual({
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
    const { headers, body } = await call({ query: { format: "csv" } });
    expect(headers).toMatchObject({ "Content-Type": "application/json" });
    expect(JSON.parse(body)).toEqual({ status: "success", data: { value: "running" } });
  });

  it("sends JSON, checked, where nothing else is wanted", async () => {
    operation.mockResolvedValue({ value: "v", secret: "s" });
    expect(JSON.parse((await call({})).body)).toEqual({ status: "success", data: { value: "v" } });
  });

  it("sends every error as JSON", async () => {
    operation.mockRejectedValue(new ApiError("ILLEGAL_TRANSITION"));
    const { headers, body } = await call({ query: { format: "csv" } });
    expect(headers).toMatchObject({ "Content-Type": "application/json" });
    expect(JSON.parse(body)).toMatchObject({ code: "ILLEGAL_TRANSITION" });
  });
});
