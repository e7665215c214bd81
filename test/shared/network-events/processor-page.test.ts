import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import { merchantFields } from "../../../shared/contract/card-network.ts";
import { TransactionType } from "../../../shared/contract/enums.ts";
import { ProcessorEvent, ProcessorResult } from "../../../shared/contract/processor.ts";
import { settledKinds } from "../../../shared/network-events/card-event.ts";

interface Field {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Field[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Schema {
  readonly properties: Readonly<Record<string, Field>>;
  readonly required: readonly string[];
}

const schemas = new Map<string, Schema>(
  ProcessorEvent.options.map((option) => [
    option.shape.kind.value,
    z.toJSONSchema(option, { io: "input" }) as unknown as Schema,
  ]),
);
const [{ shape: answerShape }] = ProcessorResult.options;

/** Fields that the page explains once. */
const ofEveryEvent = ["eventId", "programId", "kind", "occurredAt"];
const ofMerchant = Object.keys(merchantFields);
const merchantSentence = "It can have the [fields of the merchant](#fields-of-the-merchant).";

/** What means something else in one kind than in the others. */
const ofItsOwnMeaning = [
  ...["atm_withdrawal.authorizationId", "atm_withdrawal.total", "authorization_reversal.interchange"],
  ...["authorization_reversal.total", "card_shipping.status", "chargeback_outcome.chargebackId"],
  ...["chargeback_outcome.status", "deposit_returned.amount", "dispute_outcome.status", "kyc_outcome.status"],
  ...["account_checked.name", "account_checked.outcome", "three_ds_completion.challengeId"],
];

const page = readFileSync("docs/processor.md", "utf8");
/** What stands before its table, and the last cells of that. */
const sections = page.split(/\n(?=## )/).map((text) => ({
  text,
  title: /^## (.*)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? "",
  prose: (text.split(/\n\| Field |\nIt can have the/)[0] ?? "").trimEnd(),
  notes: new Map(
    [...text.matchAll(/^\| `(\w+)` \|(?:.* \|)? (.*) \|$/gm)].map(([, name = "", note]) => [name, note]),
  ),
}));
const kinds = sections.filter(({ title }) => schemas.has(title));
/** What a field is in all kinds, by the first section that has it. */
const common = new Map(
  sections
    .filter(({ text }) => text.includes("\n| Field | | Values |"))
    .flatMap(({ title, notes }) =>
      [...notes].filter(([name]) => !ofItsOwnMeaning.includes(`${title}.${name}`)),
    )
    .toReversed(),
);

function table(title: string, { properties, required }: Schema, isShown: (name: string) => boolean): string {
  const rows = Object.entries(properties).flatMap(([name, field]) => {
    const need = required.includes(name) ? "required" : "optional";
    const allowed = name === "kind" ? "one of the kinds below" : values(field);
    const own = sections.find((section) => section.title === title)?.notes.get(name);
    const note = ofItsOwnMeaning.includes(`${title}.${name}`) ? own : common.get(name);
    return isShown(name) ? [`| \`${name}\` | ${need} | ${allowed} | ${note} |`] : [];
  });
  return ["| Field | | Values | |", "|---|---|---|---|", ...rows].join("\n");
}

function values(field: Field): string {
  const fallback = field.default === undefined ? "" : `. Default: ${JSON.stringify(field.default)}`;
  if (field.const !== undefined) return `\`${JSON.stringify(field.const)}\``;
  if (field.enum) return field.enum.map((value) => JSON.stringify(value)).join(", ") + fallback;
  if (field.anyOf) return field.anyOf.map(values).join(" or ");
  if (field.type === "integer") return `integer, ${field.minimum} to ${field.maximum}${fallback}`;
  return `${field.type}${fallback}`;
}

/** A section as it is, with its table as the contract has it. */
function rendered({ title, text, prose, notes }: (typeof sections)[number]): string {
  const schema = schemas.get(title) ?? schemas.get("authorization");
  if (!schema) throw new Error("The contract has no authorizations.");
  const hasMerchant = ofMerchant.every((name) => name in schema.properties);
  const own = (name: string) => !ofEveryEvent.includes(name) && !(hasMerchant && ofMerchant.includes(name));
  if (schemas.has(title))
    return [prose, table(title, schema, own), ...(hasMerchant ? [merchantSentence] : [])].join("\n\n");
  if (title === "Fields of every event")
    return `${prose}\n\n${table(title, schema, (name) => ofEveryEvent.includes(name))}`;
  if (title === "Fields of the merchant")
    return `${prose}\n\n${table(title, schema, (name) => ofMerchant.includes(name))}`;
  if (title !== "Read the answer") return text.trimEnd();
  const fields = Object.keys(answerShape).filter((name) => name !== "outcome");
  const known = [...notes.keys()].filter((name) => fields.includes(name));
  const rows = [...new Set([...known, ...fields])].map((name) => `| \`${name}\` | ${notes.get(name)} |`);
  return [prose, "", "| Field | |", "|---|---|", ...rows].join("\n");
}

test("docs/processor.md has the fields of the contract, and its own words about each", async () => {
  await expect(`${sections.map(rendered).join("\n\n")}\n`).toMatchFileSnapshot("../../../docs/processor.md");
  expect(page).not.toMatch(/\| (?:undefined|) \|$/m);
});

test("each kind has a section, and no other", () => {
  expect(kinds.map(({ title }) => title).toSorted()).toEqual([...schemas.keys()].toSorted());
  for (const { prose } of kinds)
    expect(prose).toMatch(/\n\n[A-Z][^\n]+\n\n```json\n.*\n- Balances: .*\n- Writes: /s);
});

test("every example is an event of the contract, and has no field that the contract does not know", () => {
  const examples = sections.flatMap(({ title, text }) =>
    [...text.matchAll(/```json\n(.*?)```/gs)].map(([, json = ""]) => ({ title, json: JSON.parse(json) })),
  );
  const common = { eventId: "event-1", programId: "prg_00000000000000000000000001" };
  for (const { title, json } of examples) {
    const isAnswer = json.outcome === "applied";
    const contract = isAnswer ? ProcessorResult : ProcessorEvent;
    const whole = isAnswer ? json : { ...common, ...json };
    expect(contract.parse(whole)).toMatchObject(whole);
    if (schemas.has(title)) expect(json.kind).toBe(title);
  }
  expect(examples).toHaveLength(schemas.size + 2);
});

test("the types that the page names have the codes of the table", () => {
  const named = kinds.flatMap(({ prose }) => [
    ...prose.matchAll(/(\d+) (…?[a-z]+_[a-z_]+|refund|returnreversal|balanceinquiry)/g),
  ]);
  expect(named.length).toBeGreaterThan(30);
  for (const [, code, name] of named) {
    const type = Object.entries(TransactionType).find(([, value]) => value === Number(code))?.[0];
    expect(type, `${code} ${name}`).toMatch(new RegExp(`${name?.replace("…", "")}$`));
  }
});

test("the page names the kinds that are answered at once, and those that settle", () => {
  const answered = kinds.filter(({ prose }) => prose.includes("Invoke the function"));
  const listed = (names: readonly string[], word: "and" | "or") =>
    `${names
      .slice(0, -1)
      .map((name) => `\`${name}\``)
      .join(", ")} ${word} \`${names.at(-1)}\``;
  expect(page).toContain(
    `${listed(
      answered.map(({ title }) => title),
      "and",
    )}.\nInvoke the function`,
  );
  expect(page).toContain(`another ${listed(settledKinds, "or")} of the Program has settled\n`);
});
