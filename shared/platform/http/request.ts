import type { Currency } from "../../contract/enums.ts";
import type { Rights } from "../../contract/roles.ts";
import type { Route, RouteInput, RouteKey, RouteOutput } from "../../contract/route.ts";
import type { DeclaredRoute } from "../../contract/routes.ts";
import type { IdempotencyKey } from "../idempotency.ts";

/** Whoever makes a scope says it, so that none is forgotten. */
interface CallerRights {
  readonly role: Rights["role"];
  readonly operations: Rights["operations"];
}

/** What a Program-level key may reach, and do. */
export interface ProgramScope extends CallerRights {
  readonly tenantId: string;
  readonly programId: string;
  readonly currency: Currency;
  readonly apiUserId: string;
}

/** What a Tenant-level key may reach. */
interface TenantScope extends CallerRights {
  readonly tenantId: string;
  readonly apiUserId: string;
}

type ApiRequest<R extends Route> = RouteInput<R> & {
  readonly scope: R extends { readonly level: "tenant" } ? TenantScope : ProgramScope;
  readonly requestId: string;
  /** The caller sent one, and the operation keeps its answer: it moves funds, or hashes itself. */
  readonly idempotency?: IdempotencyKey;
};

/** Implements an endpoint. Throws `ApiError`. */
export type Operation<R extends Route> = (request: ApiRequest<R>) => Promise<RouteOutput<R>>;

/** The operation of each endpoint. */
export type Operations = { readonly [One in DeclaredRoute as RouteKey<One>]: Operation<One> };

/** One for every route, imported at its first request: a missing or extra one does not compile. */
export type OperationImports<R extends Route> = {
  readonly [One in R as RouteKey<One>]: () => Promise<Operation<One>>;
};
