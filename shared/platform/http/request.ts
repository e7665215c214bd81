import type { Currency } from "../../contract/enums.ts";
import type { Route, RouteInput, RouteKey, RouteOutput } from "../../contract/route.ts";
import type { IdempotencyKey } from "../idempotency.ts";

/** Of a Program-level key. */
export interface ProgramScope {
  readonly tenantId: string;
  readonly programId: string;
  readonly currency: Currency;
  readonly apiUserId: string;
}

/** Of a Tenant-level key. */
interface TenantScope {
  readonly tenantId: string;
  readonly apiUserId: string;
}

type ApiRequest<R extends Route> = RouteInput<R> & {
  readonly scope: R extends { readonly level: "tenant" } ? TenantScope : ProgramScope;
  readonly requestId: string;
  /** Of a route that moves funds, if the caller sent one: the operation keeps its answer. */
  readonly idempotency?: IdempotencyKey;
};

/** Implements an endpoint. Throws `ApiError`. */
export type Operation<R extends Route> = (request: ApiRequest<R>) => Promise<RouteOutput<R>>;

/** An operation for every route. A missing or extra one does not compile. */
export type Operations<R extends Route> = { readonly [One in R as RouteKey<One>]: Operation<One> };

/** The same, each imported with its first request. */
export type OperationImports<R extends Route> = {
  readonly [One in R as RouteKey<One>]: () => Promise<Operation<One>>;
};
