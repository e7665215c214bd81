import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Route } from "../../../../shared/contract/route.ts";
import { ApiError } from "../../../../shared/platform/http/api-error.ts";
import { validateRequest } from "../../../../shared/platform/http/serve-request.ts";
import { apiEvent, type EventOptions } from "../../../harness/api-event.ts";
import { walletId } from "./probe-route.ts";

export type RequestOptions = Omit<EventOptions, "route"> & { readonly event?: Partial<APIGatewayProxyEvent> };

/** What stands for a parameter that is no identifier. */
export const pathValues: Record<string, string> = {
  token: "0".repeat(43),
  listenerId: "0".repeat(64),
  cardType: "1",
  date: "2026-11-20",
  period: "2026-11",
};

/** The validated parts with 200, or the error's status with `path code` per fault. */
export function validated(route: Route, { event, ...options }: RequestOptions) {
  const input = apiEvent({ path: { walletId }, ...options, route: `${route.method} ${route.path}` });
  try {
    return { status: 200, faults: [], ...validateRequest(route, { ...input, ...event }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: error.status, faults: error.faults.map(({ path, code }) => `${path} ${code}`) };
  }
}
