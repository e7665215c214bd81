import type { z } from "zod";
import type { TransferStatus } from "../../shared/contract/enums.ts";
import type { ErrorCode, Fault } from "../../shared/contract/errors.ts";
import type { FormatOf, PathParameterNames, Route } from "../../shared/contract/route.ts";
import type { DeclaredRoute } from "../../shared/contract/routes.ts";

/** The route's path below the base URL. */
export type PlaceOf<R extends Route> = R extends { api: "sandbox" } ? `/sandbox${R["path"]}` : R["path"];

/** The API in openapi-fetch's form: by path and method. */
export type Paths = {
  [P in PlaceOf<DeclaredRoute>]: {
    [R in DeclaredRoute as PlaceOf<R> extends P ? Lowercase<R["method"]> : never]: Operation<R>;
  };
};

export interface ErrorBody {
  readonly status: "error";
  readonly code: ErrorCode;
  readonly message: string;
  readonly requestId: string;
  /** Each fault of the request, for 400 and 422; with `ALREADY_CREATED`, what was created. */
  readonly errors?: Fault[];
  /** With `EXTERNAL_ID_EXISTS` and `ACCOUNT_EXISTS`: the record that is there. */
  readonly existingId?: string;
  /** With `AMOUNTS_WRONG`: how often other amounts can be told. */
  readonly attemptsLeft?: number;
}

type Operation<R extends Route> = {
  parameters: PathOf<R> & {
    query?: QueryOf<R>;
    header?: { "Idempotency-Key"?: string };
  };
  responses: {
    200: { content: { "application/json": SuccessBody<R> } };
    default: { content: { "application/json": ErrorBody } };
  };
} & BodyOf<R>;

type QueryOf<R extends Route> = R["query"] extends z.ZodObject
  ? Partial<z.output<R["query"]>> & FormatQuery<R>
  : R["formats"] extends readonly string[]
    ? FormatQuery<R>
    : never;

/** Read another format with `parseAs: "text"`, or "arrayBuffer" for its bytes: it is no JSON. */
type FormatQuery<R extends Route> = R["formats"] extends readonly string[]
  ? { format?: FormatOf<R> }
  : unknown;

type PathOf<R extends Route> =
  PathParameterNames<R["path"]> extends never
    ? { path?: never }
    : { path: { [Name in PathParameterNames<R["path"]>]: string } };

/** The body is optional if all its fields are. */
type BodyOf<R extends Route> = R["body"] extends z.ZodObject
  ? Record<never, never> extends z.input<R["body"]>
    ? { requestBody?: { content: { "application/json": z.input<R["body"]> } } }
    : { requestBody: { content: { "application/json": z.input<R["body"]> } } }
  : R["lines"] extends z.ZodObject
    ? { requestBody: { content: { "application/x-ndjson": string } } }
    : { requestBody?: never };

type SuccessBody<R extends Route> = R["responseKind"] extends "list"
  ? { status: "success"; items: z.output<R["response"]>[]; total: number; limit: number; offset: number }
  : { status: "success"; data: Decided<z.output<R["response"]>> };

/**
 * What was declined is a success of HTTP too. So the amount that moved can be read only where
 * `transStatus` or `approved` says that it did.
 */
export type Decided<T> = T extends { transStatus: TransferStatus; transferredAmount: number }
  ? Outcome<T, "transStatus", T["transStatus"], 2 | 4, "transferredAmount">
  : T extends { approved: boolean; transId: string }
    ? Outcome<T, "approved", T["approved"], false, "amount">
    : T;

/** One type for each value, so that a comparison narrows it. */
type Outcome<T, Name extends string, Value, Declined, Moved extends string> = Value extends Declined
  ? Omit<T, Name | Moved> & { [One in Name]: Value }
  : Omit<T, Name> & { [One in Name]: Value };
