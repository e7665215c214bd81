import type { DeclaredRoute } from "../../shared/contract/routes.ts";
import type { Client } from "./client.ts";
import type { ErrorBody, Paths, PlaceOf } from "./paths.ts";
import { unwrap } from "./unwrap.ts";

type ListPath = PlaceOf<Extract<DeclaredRoute, { method: "GET"; responseKind: "list" }>>;

type Listed<P extends ListPath> = Paths[P] extends {
  get: { responses: { 200: { content: { "application/json": infer B } } } };
}
  ? B extends { items: (infer I)[] }
    ? I
    : never
  : never;

type ListParameters<P extends ListPath> = Paths[P] extends { get: { parameters: infer A } } ? A : never;

/**
 * All items of a list, page by page. If records change meanwhile, an item may come twice or never.
 *
 * @throws RequestRejectedError
 */
export async function* pages<P extends ListPath>(
  client: Client,
  path: P,
  parameters: ListParameters<P>,
): AsyncGenerator<Listed<P>> {
  interface Page {
    items: Listed<P>[];
    total: number;
    limit: number;
  }
  const get = client.GET as (
    path: P,
    init: object,
  ) => Promise<{ data?: Page; error?: ErrorBody; response: Response }>;
  const { query = {}, ...rest } = parameters as { query?: { offset?: number } };
  for (let offset = query.offset ?? 0; ; ) {
    // A list that takes no parameters is one page.
    const asked = offset > 0 ? { ...query, offset } : query;
    const page = await unwrap(get(path, { params: { ...rest, query: asked } }));
    yield* page.items;
    offset += page.items.length;
    if (page.items.length === 0 || offset >= page.total) return;
  }
}
