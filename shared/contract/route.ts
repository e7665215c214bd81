import type { z } from "zod";
import type { ErrorCode } from "./errors.ts";

/** The platform's own API, or the sandbox that emulates the card network. */
export type Api = "platform" | "sandbox";

/** Each is named by its folder under `functions/`. */
export type ResourceFunction =
  | "cardholders"
  | "cards"
  | "bulk"
  | "controls"
  | "statements"
  | "disputes"
  | "wallets"
  | "otp"
  | "webhooks"
  | "settlements"
  | "sandbox"
  | "account"
  | "certificates"
  | "ledger"
  | "reports"
  | "authentications"
  | "tokens"
  | "external-accounts"
  | "payouts";

/** What an endpoint can answer beside JSON: media types by their names in `format`. */
export const mediaTypes = {
  csv: "text/csv",
  hledger: "text/plain",
  html: "text/html",
  /** It has ASCII characters alone: as text, API Gateway sends it whatever the caller accepts. */
  pdf: "application/pdf",
  camt053: "application/xml",
} as const;
export type DocumentFormat = keyof typeof mediaTypes;

export type AnswerFormat = DocumentFormat | "json";

/**
 * What an operation needs: `money` moves or commits it, `reveal` shows or sets what only the
 * Cardholder may know, and who is told of it.
 */
export const accesses = ["read", "write", "money", "reveal"] as const;
export type Access = (typeof accesses)[number];

/** One endpoint. The API in the template, validation and tests come from this declaration. */
export interface Route {
  readonly api: Api;
  readonly function: ResourceFunction;
  /** The level of keys that may call it. Default: program. */
  readonly level?: "program" | "tenant";
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly access: Access;
  /** With the function's name before it, the id that roles, OpenAPI and tools call it by. */
  readonly operation: string;
  /** Below the base path, as in API Gateway's `event.resource`: `/cards/{cardId}`. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** `detail` answers `{status, data}`; `list` answers `{status, items, total, limit, offset}`. */
  readonly responseKind: "detail" | "list";
  /** Schemas of path parameters that are not identifiers. */
  readonly parameters?: Readonly<Record<string, z.ZodString>>;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** In place of a body: JSON lines, of which the operation parses each. The schema is of one. */
  readonly lines?: z.ZodObject;
  /** Schema of `data`, or of one of `items`. */
  readonly response: z.ZodObject;
  /** Beside JSON, the default: chosen by `format` in the query, or by `Accept`. */
  readonly formats?: readonly DocumentFormat[];
  /** The endpoint that answers the same in pages: this one refuses what is larger than 6 MB. */
  readonly inPages?: string;
  /** The operation's own errors. `routeErrors` adds those that every similar endpoint has. */
  readonly errors: readonly ErrorCode[];
  /** Moves money: honours `Idempotency-Key`. */
  readonly movesFunds?: true;
  /**
   * Creates something else: honours `Idempotency-Key`. A name means that the answer has a secret,
   * and that only this field of it is kept.
   */
  readonly creates?: true | string;
  /** Its body has what is hashed with a key alone: the operation sees to `Idempotency-Key`. */
  readonly hashesItself?: true;
  /**
   * Makes or changes API keys: only one of the role `everything` may, or a key could raise itself.
   */
  readonly changesKeys?: true;
  /** Without a sandbox, it answers 202 to what waits for the operator's approval. */
  readonly mayWait?: true;
  /** ISO date; answers then carry `Deprecation` and `Link`. */
  readonly deprecated?: string;
}

type Declaration = Partial<
  Omit<Route, "method" | "path" | "access" | "operation" | "summary" | "responseKind" | "response">
> &
  (
    | { readonly data: z.ZodObject; readonly items?: never }
    | { readonly items: z.ZodObject; readonly data?: never }
  );

type Declared<S, K extends string, D> = Omit<S & D, "data" | "items" | "errors"> & {
  readonly method: K extends `${infer Method extends Route["method"]} ${string}` ? Method : never;
  readonly path: K extends `${string} ${infer Path extends Route["path"]}` ? Path : never;
  readonly access: Access;
  readonly operation: string;
  readonly summary: string;
  readonly responseKind: D extends { readonly items: z.ZodObject } ? "list" : "detail";
  readonly response: D extends { readonly items: infer Items extends z.ZodObject }
    ? Items
    : D extends { readonly data: infer Data extends z.ZodObject }
      ? Data
      : never;
  readonly errors: readonly ErrorCode[];
};

/**
 * Declares endpoints that share API, function and level. `what` is such as `money transfer`: access
 * and operation. Keeps literal types for handlers.
 */
export function routesWith<
  const S extends Pick<Route, "api" | "function" | "level" | "movesFunds" | "changesKeys">,
>(shared: S) {
  return <const K extends `${Route["method"]} /${string}`, const D extends Declaration>(
    key: K,
    what: `${Access} ${string}`,
    summary: string,
    { data, items, errors = [], ...declaration }: D,
  ): Declared<S, K, D> => {
    const [method, path] = key.split(" ");
    const [access, operation] = what.split(" ");
    const responseKind = items ? "list" : "detail";
    return {
      ...shared,
      ...declaration,
      method,
      path,
      access,
      operation,
      summary,
      responseKind,
      response: items ?? data,
      errors,
    } as never;
  };
}

export type RouteKey<R extends Route> = `${R["method"]} ${R["path"]}`;

export type PathParameterNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameterNames<Rest>
  : never;

export function pathParameterNames(path: string): string[] {
  return path.split(/[{}]/).filter((_, index) => index % 2 === 1);
}

/** JSON lines are refused as a whole beyond these. */
export const maximumLines = 10_000;
export const maximumLineBytes = 5 * 1024 * 1024;

/** A line that is not blank, with its place in the file, from 1. */
export interface Line {
  readonly line: number;
  readonly text: string;
}

type BodyOf<R extends Route> = R["body"] extends z.ZodObject
  ? z.output<R["body"]>
  : R["lines"] extends z.ZodObject
    ? readonly Line[]
    : undefined;
type QueryOf<R extends Route> = R["query"] extends z.ZodObject ? z.output<R["query"]> : undefined;

/** Such as `cards_issueCard`. */
export function operationId({ function: resource, operation }: Pick<Route, "function" | "operation">) {
  return `${resource}_${operation}`;
}

/** The formats that an endpoint answers, the default first. */
export function answerFormats({ formats = [] }: Pick<Route, "formats">): readonly AnswerFormat[] {
  return ["json", ...formats];
}

/** `json`, and the endpoint's other formats. */
export type FormatOf<R extends Route> = R["formats"] extends readonly (infer F extends DocumentFormat)[]
  ? F | "json"
  : "json";

interface RequestParts<R extends Route> {
  readonly path: { readonly [Name in PathParameterNames<R["path"]>]: string };
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
}

/** An endpoint with several formats also gets the one that the caller accepts. */
export type RouteInput<R extends Route> = RequestParts<R> &
  (R["formats"] extends readonly DocumentFormat[] ? { readonly format: FormatOf<R> } : unknown);

/** An answer in a format other than JSON. Text is sent in UTF-8. */
export interface Document {
  readonly document: string;
  /** A browser saves it under this name. */
  readonly fileName: string;
}

export type RouteOutput<R extends Route> =
  | (R["responseKind"] extends "list"
      ? { readonly items: z.input<R["response"]>[]; readonly total: number }
      : z.input<R["response"]>)
  | (R["formats"] extends readonly DocumentFormat[] ? Document : never);
