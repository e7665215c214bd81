import { isDeepStrictEqual } from "node:util";
import type { Fault } from "../../contract/errors.ts";
import type { Route } from "../../contract/route.ts";

/** Where callers read what a PUT changes: an endpoint of the same path, or the list of such. */
export interface Shown {
  readonly route: Route;
  readonly operation: () => Promise<(request: never) => Promise<unknown>>;
}

type Fields = Readonly<Record<string, unknown>>;

interface ShownRequest {
  readonly scope: unknown;
  readonly requestId: string;
  readonly path: Readonly<Record<string, string>>;
}

/** The endpoint that shows it. Undefined for what is never shown. */
export function findShowing(route: Route, declared: readonly Route[]): Route | undefined {
  if (route.method !== "PUT") return undefined;
  const all = declared.filter(({ method }) => method === "GET");
  const list = route.path.replace(/\/\{\w+\}$/, "");
  return (
    all.find(({ path }) => path === route.path) ??
    all.find(({ path, responseKind }) => path === list && path !== route.path && responseKind === "list")
  );
}

/** What the body has of fields that are shown, and that no body of this endpoint takes. */
export function splitShown(
  { body: schema }: Route,
  shown: Shown | undefined,
  json: Fields,
): { readonly taken: Fields; readonly readOnly: Fields } {
  const isReadOnly = (name: string) =>
    shown !== undefined &&
    Object.hasOwn(shown.route.response.shape, name) &&
    !Object.hasOwn(schema?.shape ?? {}, name);
  const entries = Object.entries(json);
  return {
    taken: Object.fromEntries(entries.filter(([name]) => !isReadOnly(name))),
    readOnly: Object.fromEntries(entries.filter(([name]) => isReadOnly(name))),
  };
}

/**
 * The fields whose values are not those that are shown now. Their values are in no message.
 * @throws ApiError of the endpoint that shows them: NOT_FOUND
 */
export async function findChanged(
  { route, operation }: Shown,
  readOnly: Fields,
  request: ShownRequest,
): Promise<Fault[]> {
  const read = await operation();
  const current = toJson(
    route.responseKind === "detail"
      ? route.response.parse(await read({ ...request, query: {} } as never))
      : await findListed(route, read, request),
  );
  return Object.entries(readOnly)
    .filter(([name, value]) => !isDeepStrictEqual(toJson(value), toJson(current[name])))
    .map(([name]) => ({
      path: `body.${name}`,
      code: "read_only",
      message: "cannot be changed: leave it out, or send it as it is shown now",
    }));
}

async function findListed(
  route: Route,
  read: (request: never) => Promise<unknown>,
  request: ShownRequest,
): Promise<Fields> {
  const [idName, id] = Object.entries(request.path).at(-1) ?? [];
  const limit = 200;
  for (let offset = 0; ; offset += limit) {
    const query = route.query?.parse({ limit: String(limit), offset: String(offset) });
    const { items } = (await read({ ...request, query } as never)) as { items: Fields[] };
    const found = items.find((item) => String(item[idName ?? ""]) === id);
    if (found) return route.response.parse(found);
    if (items.length < limit) return {};
  }
}

/** As a caller has it: what is undefined is not there. */
function toJson(value: unknown): Fields {
  return JSON.parse(JSON.stringify({ value })).value;
}
