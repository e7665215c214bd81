import { readFileSync } from "node:fs";
import { parseAst } from "vitest/node";
import { type IdKind, idPrefixes } from "../../shared/contract/identifiers.ts";
import { declaredKeys, type Key } from "../../shared/platform/table/keys.ts";
import { sourceFiles } from "./source-files.ts";

/** The key of a kind of item. */
export interface KeyRow {
  readonly table: string;
  /** Of the entities that read and write such items. */
  readonly names: readonly string[];
  /** Where it is declared. */
  readonly file: string;
  readonly example: Key;
  /** With the names of its parts in braces. */
  readonly pattern: Key;
}

/** A part of a key, with the characters that it can have: one each, or with `+` many. */
interface Part {
  readonly example: string | number;
  readonly forms: readonly string[];
}

const ulid = "01KB4N0QZ3T8V5W7XHJ2M6PRSA";
const ofUlid = Array.from(ulid, () => "[0-9A-Z]");
const prefixed = (prefix: string): Part => ({
  example: `${prefix}_${ulid}`,
  forms: [...prefix, "_", ...ofUlid],
});
const some = (example: string | number, characters: string): Part => ({ example, forms: [`${characters}+`] });
const text = (example: string): Part => some(example, ".");
const word = (example: string): Part => some(example, "[a-zA-Z_]");
const number = (example: number): Part => some(example, "[0-9]");
const exampleId = (kind: IdKind) => `${idPrefixes[kind]}_${ulid}`;
const anyId: Part = {
  example: exampleId("card"),
  forms: ["[a-z]", "[a-z]", "[a-z]", "_", ...ofUlid],
};
const ulidOnly: Part = { example: ulid, forms: ofUlid };
const hash = some("9f86d081884c7d659a2feaa0c55ad015", "[0-9a-f]");
const day = some("2026-11-20", "[0-9-]");
const monthStart = "ENTRY#jrn_01KB4N0QZ3";

/** By the names of parameters. */
const parts: Readonly<Record<string, Part>> = {
  ...Object.fromEntries(Object.entries(idPrefixes).map(([kind, prefix]) => [`${kind}Id`, prefixed(prefix)])),
  account: some("GB29NWBK60161331926819", "[A-Z0-9/]"),
  accountId: anyId,
  address: text("0x52908400098527886E0F7030069857D2E4169EE7"),
  attemptId: text(`evt_${ulid}#whk_${ulid}#0001`),
  authorizationId: text("auth-7301"),
  before: ulidOnly,
  cardType: number(1),
  chain: word("ethereum"),
  changeId: ulidOnly,
  cidr: text("192.0.2.0/24"),
  copy: some("2.1", "[t0-9.]"),
  currency: some("USD", "[A-Z]"),
  date: day,
  deadlineId: text(`ctl_${ulid}`),
  digest: hash,
  endpoint: text("POST /wallets/transfer"),
  endpointId: prefixed(idPrefixes.webhook),
  entryId: prefixed(idPrefixes.journalEntry),
  // The sender may have chosen it.
  eventId: text(`evt_${ulid}`),
  externalId: text("order-4711"),
  fingerprint: hash,
  first: number(200),
  firstSix: some("510000", "[0-9]"),
  format: word("csv"),
  formerId: anyId,
  hash,
  id: text("msg-1"),
  index: number(448),
  key: text("order-17"),
  keyHash: hash,
  kind: word("transactions"),
  lackedAt: some("2026-11-20T09:30:00.000Z", "[0-9TZ:.-]"),
  listenerId: hash,
  messageKey: text("478523.000173.1120093015"),
  paymentId: anyId,
  fileId: anyId,
  file: some("pain.001", "[a-z0-9.]"),
  month: {
    example: monthStart,
    forms: monthStart
      .replace(/\w{10}$/, (time) => "u".repeat(time.length))
      .split("")
      .map((one) => (one === "u" ? "[0-9A-Z]" : one)),
  },
  name: text("INVOICE-17"),
  number: number(3),
  numberId: prefixed(idPrefixes.plastic),
  ordinal: some("0001", "[0-9]"),
  outputIndex: number(2),
  owner: some(`tnt_${ulid}`, "[0-9A-Za-z_]"),
  ownerId: { ...anyId, example: exampleId("program") },
  part: number(6),
  period: day,
  place: text("8"),
  port: word("bank"),
  priority: number(2),
  recordId: anyId,
  referenceCode: text("74001122026324000000017"),
  reminderId: some(`crt_${ulid}-30`, "[0-9A-Za-z_-]"),
  returnKey: text("RET-17"),
  scheduleId: prefixed(idPrefixes.reportSchedule),
  scope: text("*"),
  segmentId: ulidOnly,
  shard: number(5),
  shardId: text("4"),
  source: text("day-1"),
  subject: word("bank"),
  subjectId: anyId,
  thumbprint: hash,
  transId: prefixed(idPrefixes.transaction),
  transIdSc: prefixed(idPrefixes.notification),
  txHash: text("0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b"),
  updateId: prefixed(idPrefixes.accountUpdate),
  use: word("cvv"),
  waitingId: prefixed(idPrefixes.card),
  utcDate: day,
  webhookId: prefixed(idPrefixes.webhook),
  zone: text("network"),
  // What a key computes from a part.
  computed: some(7, "[0-9]"),
  sha256: some("", "[0-9a-f]"),
};

/** Parameters that are objects. */
const objects: Readonly<Record<string, object>> = {
  list: { programId: exampleOf("programId"), kind: { name: exampleOf("kind") }, owner: exampleOf("owner") },
  month: { first: monthStart },
};

function exampleOf(name: string): string | number {
  const part = parts[name];
  if (!part) throw new Error(`Say in ${import.meta.filename} what the part ${name} of a key can be.`);
  return part.example;
}

/** Every key of every table, by table and pattern. */
export async function readKeys(): Promise<KeyRow[]> {
  const files = [...sourceFiles("shared"), ...sourceFiles("functions")]
    .filter(({ globals }) => globals.has("defineEntity()") || globals.has("declareKey()"))
    .map(({ path }) => ({ path, text: readFileSync(path, "utf8") }));
  await Promise.all(files.map(({ path }) => import(/* @vite-ignore */ `../../${path}`)));
  const rows = new Map<unknown, KeyRow & { names: string[] }>();
  for (const { name, table, key } of declaredKeys) {
    const row = rows.get(key);
    const { path = "" } = files.find(({ text }) => plain(text).includes(bodyOf(key))) ?? {};
    if (row) row.names.push(name);
    else if (!isAnyKey(key)) rows.set(key, { table, names: [name], file: path, ...evaluate(key) });
  }
  const inOrder = ({ table, pattern: { pk, sk } }: KeyRow) => `${table} ${pk} ${sk}`;
  return [...rows.values()].toSorted((left, right) => (inOrder(left) < inOrder(right) ? -1 : 1));
}

/** Without what a formatter or a compiler may change. */
const plain = (code: string) => code.replace(/\(0,\s*|__vi\w+?__\.|[\s,;()]/g, "");
const bodyOf = (key: unknown) => plain(String(key)).split("=>").slice(1).join("=>");

interface Parameter {
  readonly type: string;
  readonly name: string;
  readonly properties: readonly { readonly key: { readonly name: string } }[];
}

function parametersOf(key: unknown): readonly Parameter[] {
  const { body } = parseAst(`const key = ${key}`) as unknown as {
    readonly body: readonly [
      { readonly declarations: readonly [{ readonly init: { params: Parameter[] } }] },
    ];
  };
  return body[0].declarations[0].init.params;
}

const namesOf = ({ type, name, properties }: Parameter) =>
  type === "ObjectPattern"
    ? properties.map((one) => one.key.name)
    : name === "list"
      ? ["programId", "kind", "owner"]
      : [name];

/** Of an entity for items of other kinds: their keys are declared elsewhere. */
function isAnyKey(key: unknown): boolean {
  return parametersOf(key).some((one) => namesOf(one).includes("pk"));
}

function evaluate(key: (...id: never) => Key): Pick<KeyRow, "example" | "pattern"> {
  const parameters = parametersOf(key);
  const id = parameters.map((one) =>
    one.type === "ObjectPattern"
      ? Object.fromEntries(namesOf(one).map((name) => [name, exampleOf(name)]))
      : (objects[one.name] ?? exampleOf(one.name)),
  );
  const example = key(...(id as never));
  const names = parameters.flatMap(namesOf);
  return { example, pattern: { pk: toPattern(example.pk, names), sk: toPattern(example.sk, names) } };
}

function toPattern(text: string, names: readonly string[]): string {
  const known = names.toSorted(
    (left, right) => String(exampleOf(right)).length - String(exampleOf(left)).length,
  );
  // Of two parts with one example, each has its place.
  const named = ["", "g"].reduce(
    (once, flags) =>
      known.reduce((pattern, name) => {
        const example = String(exampleOf(name)).replace(/[*.]/g, "\\$&");
        return pattern.replace(new RegExp(`(?<![\\w{])0*${example}(?![\\w}])`, flags), `{${name}}`);
      }, once),
    text,
  );
  return named.replace(/\b[0-9a-f]{64}\b/, "{sha256}").replace(/(?<=#|^)\d+(?=#|$)/, "{computed}");
}

/** Whether two kinds of item could have one key. */
export function collide(left: KeyRow, right: KeyRow): boolean {
  return (
    left.table === right.table &&
    haveCommon(left.pattern.pk, right.pattern.pk) &&
    haveCommon(left.pattern.sk, right.pattern.sk)
  );
}

/** Whether a text fits both patterns. */
export function haveCommon(left: string, right: string): boolean {
  const [ofLeft, ofRight] = [formsOf(left), formsOf(right)];
  const tried = new Set<string>();
  const fits = (i: number, j: number): boolean => {
    const [one, other] = [ofLeft[i], ofRight[j]];
    if (one === undefined || other === undefined) return one === other;
    if (tried.has(`${i} ${j}`) || !overlap(one, other)) return false;
    tried.add(`${i} ${j}`);
    return fits(i + 1, j + 1) || (isMany(one) && fits(i, j + 1)) || (isMany(other) && fits(i + 1, j));
  };
  return fits(0, 0);
}

function formsOf(pattern: string): string[] {
  return pattern.split(/(\{\w+\})/).flatMap((piece) => {
    const [, name] = /^\{(\w+)\}$/.exec(piece) ?? [];
    return name === undefined ? [...piece] : [...(parts[name]?.forms ?? [])];
  });
}

const isMany = (form: string) => form.length > 1 && form.endsWith("+");
const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
const charactersOf = new Map<string, ReadonlySet<string>>();

function overlap(one: string, other: string): boolean {
  const [left, right] = [one, other].map((form) => {
    const characters =
      charactersOf.get(form) ?? new Set(printable.filter((character) => fitsForm(form, character)));
    charactersOf.set(form, characters);
    return characters;
  });
  return [...(left ?? [])].some((character) => right?.has(character));
}

function fitsForm(form: string, character: string): boolean {
  return form.length === 1 ? form === character : new RegExp(`^${form}$`).test(character);
}
