import type { Currency } from "../../contract/enums.ts";
import type { Route, RouteInput, RouteKey, RouteOutput } from "../../contract/route.ts";
import type { IdempotencyKey } from "../idempotency/idempotency-key.ts";

/** Whose request it is: the Program-level key fixes the Program, and the Program its currency. */
export interface ProgramScope {
  readonly tenantId: string;
  readonly programId: string;
  readonly currency: Currency;
}

/** Whose request it is on a Tenant-level route, and whose key made it. */
interface TenantScope {
  readonly tenantId: string;
  readonly apiUserId: string;
}

/** A validated request within a Program, or within a Tenant where the route is of that level. */
interface ApiRequest<R extends Route> extends RouteInput<R> {
  readonly scope: R extends { readonly level: "tenant" } ? TenantScope : ProgramScope;
  readonly requestId: string;
  /** Present only where the route moves funds and the caller sent the header. */
  readonly idempotency?: IdempotencyKey;
}

/** One endpoint's rule: takes a validated request, answers its data, throws `ApiError`. */
export type Operation<R extends Route> = (request: ApiRequest<R>) => Promise<RouteOutput<R>>;

/** An operation for every route, by `METHOD /path`; a missing or superfluous one does not compile. */
export type Operations<R extends Route> = { readonly [One in R as RouteKey<One>]: Operation<One> };

/** The same, each imported when it is first asked for. */
export type OperationImports<R extends Route> = {
  readonly [One in R as RouteKey<One>]: () => Promise<Operation<One>>;
};
