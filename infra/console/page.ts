/** What a page of the console shows. `render.ts` makes HTML of it; it is answered as JSON too. */
export interface Page {
  readonly title: string;
  /** Where it belongs, from the outside in. */
  readonly trail: readonly Link[];
  readonly sections: readonly Section[];
}

export interface Link {
  readonly text: string;
  readonly href: string;
}

/** An item of a table, or a part of one. */
export type Item = Readonly<Record<string, unknown>>;

/** What a status means to its reader: well, wrong, not decided yet, over. */
export type Tone = "good" | "bad" | "wait" | "over";

/** A time is ISO 8601 UTC. */
export type Cell =
  | {
      readonly text: string;
      readonly href?: string | undefined;
      readonly isNumber?: true;
      readonly tone?: Tone;
    }
  | { readonly time: string }
  | Changed
  | readonly Cell[];

/** A field that has changed; without `before` it is new, without `after` it is gone. */
export interface Changed {
  readonly changed: string;
  readonly before?: string;
  readonly after?: string;
}

/** Bars with their figures beside them. Each bar has a part for each series. */
export interface Plot {
  readonly kind: "plot";
  readonly title: string;
  /** What a bar stands for, such as a day. */
  readonly of: string;
  readonly series: readonly { readonly name: string; readonly tone: Tone }[];
  readonly bars: readonly {
    readonly label: string;
    readonly parts: readonly { readonly size: number; readonly text: string }[];
  }[];
  readonly summary: string;
}

/** Figures are the few fields that a page begins with. */
export interface Fields<Kind = "fields"> {
  readonly kind: Kind;
  readonly title: string;
  readonly fields: readonly { readonly name: string; readonly value: Cell }[];
}

export interface Table {
  readonly kind: "table";
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Such as `51 to 100 of 1,203`. */
  readonly summary: string;
  readonly filters?: readonly Filter[];
  /** Query parameters that the filters keep. */
  readonly kept?: Readonly<Record<string, string>>;
  /** Other pages of the same table. */
  readonly more?: readonly Link[];
}

export interface Column {
  readonly name: string;
  /** Sorts by it, or reverses the order. */
  readonly href?: string;
  readonly sorted?: "ascending" | "descending";
}

/** One of some values, a text or a day. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options?: readonly { readonly value: string; readonly text: string }[];
  readonly isDay?: true;
}

export interface Links {
  readonly kind: "links";
  readonly title: string;
  readonly links: readonly Link[];
}

/** Lines for a terminal. The console itself changes nothing. */
export interface Commands {
  readonly kind: "commands";
  readonly title: string;
  readonly commands: readonly { readonly about: string; readonly line: string }[];
}

export type Section =
  | Fields
  | Fields<"figures">
  | Table
  | Plot
  | Links
  | Commands
  | { readonly kind: "note"; readonly text: string };

/** A table with columns that nothing is sorted by. */
export function toTable(
  title: string,
  columns: readonly string[],
  rows: Table["rows"],
  summary: string,
  more?: readonly Link[],
): Table {
  const names = columns.map((name) => ({ name }));
  return { kind: "table", title, columns: names, rows, summary, ...(more && { more }) };
}

/** None if there is no link. */
export function toLinks(title: string, links: readonly Link[]): Links[] {
  return links.length === 0 ? [] : [{ kind: "links", title, links }];
}

/** Leads to the rows that follow, if there are some. */
export function linkOn(
  text: string,
  path: readonly string[],
  from: string | undefined,
  query: Readonly<Record<string, string>> = {},
): Link[] {
  return from === undefined ? [] : [{ text, href: toHref(path, { ...query, from }) }];
}

/** The page does not exist: 404. `instead` has what is known of the record. */
export class NotFound extends Error {
  override readonly name = "NotFound";
  readonly instead: Link | undefined;

  constructor(message: string, instead?: Link) {
    super(message);
    this.instead = instead;
  }
}

export type Query = URLSearchParams;

/** A path below `/console`, each part escaped, and a query without its empty values. */
export function toHref(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const path = ["/console", ...parts.map(encodeURIComponent)].join("/");
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
