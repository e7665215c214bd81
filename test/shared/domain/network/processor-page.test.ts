import { expect, test } from "vitest";
import * as z from "zod";
import { TransactionType } from "../../../../shared/contract/enums.ts";
import { ProcessorEvent, ProcessorResult } from "../../../../shared/contract/processor.ts";
import { fieldNotes, kindGuides } from "./processor-guide.ts";

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

const schemas = ProcessorEvent.options.map((option) => ({
  kind: option.shape.kind.value,
  ...(z.toJSONSchema(option, { io: "input" }) as unknown as Schema),
}));

/** Stand in every event and are told once. */
const common = ["eventId", "programId", "kind", "occurredAt"];

test("docs/processor.md shows the contract of the processor's side", async () => {
  const sections = schemas.map(({ kind, properties, required }) => {
    const guide = kindGuides[kind];
    const own = Object.entries(properties).filter(([name]) => !common.includes(name));
    return [
      `### \`${kind}\``,
      "",
      guide.when,
      "",
      `- Balances: ${guide.effect}.`,
      `- Writes: ${guide.writes}.`,
      ...(guide.notes ? [`- ${guide.notes}`] : []),
      "",
      ...table(own, required),
    ].join("\n");
  });
  const page = [introduction(), ...sections].join("\n\n");
  await expect(`${page}\n`).toMatchFileSnapshot("../../../../docs/processor.md");
});

test("every field of every kind is explained, and no other", () => {
  const names = new Set(schemas.flatMap(({ properties }) => Object.keys(properties)));
  expect(Object.keys(fieldNotes).toSorted()).toEqual([...names].toSorted());
});

test("the types that the page names have the codes of the table", () => {
  for (const { writes } of Object.values(kindGuides)) {
    for (const [, code, name] of writes.matchAll(
      /(\d+) (…?[a-z]+_[a-z_]+|refund|returnreversal|balanceinquiry)/g,
    )) {
      const named = Object.entries(TransactionType).find(([, value]) => value === Number(code))?.[0];
      expect(named, `${code} ${name}`).toMatch(new RegExp(`${name?.replace("…", "")}$`));
    }
  }
});

function introduction(): string {
  const [first] = schemas;
  if (!first) throw new Error("There is no event.");
  const shared = Object.entries(first.properties)
    .filter(([name]) => common.includes(name))
    .map(([name, field]): [string, Field] => [
      name,
      name === "kind" ? { type: "one of the kinds below" } : field,
    ]);
  const answers = ProcessorResult.options.map((option) => {
    const { properties } = z.toJSONSchema(option) as unknown as Schema;
    const { outcome, ...fields } = properties;
    return `- \`${outcome?.const}\`: ${Object.keys(fields)
      .map((name) => `\`${name}\``)
      .join(", ")}`;
  });
  return `# The processor's side

Written by \`npx vitest run test/shared/domain/network/processor-page.test.ts -u\` from the contract in \`shared/contract/\`. A real processor's adapter
translates what its card network and compliance provider tell into these events; the sandbox sends the same.

## How to send

- To the \`processor-events\` queue (stack output \`ProcessorQueueUrl\`): one event as JSON in a message's body. In any order: what speaks of something
  that does not exist yet (\`NOT_FOUND\`) stays in the queue, as does what is malformed, until it is in the dead-letter queue, after more than an hour.
- A deposit for a Card that takes none goes to suspense at once, one for a Card or Wallet that does not exist after an hour in the queue: the answer has
  a \`suspenseId\`, and the operator assigns or returns it. Later events of the same \`depositId\` go on there. Sent by direct invocation, a deposit
  for an unknown account stays \`NOT_FOUND\`: send it to the queue.
- By direct invocation of the \`processor-events\` function with the event as payload, where the answer is needed: authorizations,
  increments, ATM withdrawals, balance inquiries.

An event is applied once for its \`eventId\`. Every repetition, however late, is answered what the first was, and moves nothing.

The events of one authorization end in the same balances whatever order they come in: a clearing, reversal or expiry before its authorization is
applied, and leaves it nothing, or less, to hold.

Balances: \`ledger = available + held + pending\`. Amounts are integers of minor units.

## Answer

${answers.join("\n")}

A direct invocation is answered one of these, as \`outcome\` says. \`NOT_FOUND\` is not final, \`ILLEGAL_TRANSITION\` is: the state did not permit
the event, nothing changed, and its repetitions are refused too.

## Fields of every event

${table(shared, first.required).join("\n")}

## Kinds`;
}

function table(fields: readonly (readonly [string, Field])[], required: readonly string[]): string[] {
  return [
    "| Field | | Values | |",
    "|---|---|---|---|",
    ...fields.map(
      ([name, field]) =>
        `| \`${name}\` | ${required.includes(name) ? "required" : "optional"} | ${values(field)} | ${fieldNotes[name]} |`,
    ),
  ];
}

function values(field: Field): string {
  const fallback = field.default === undefined ? "" : `, ${JSON.stringify(field.default)} if left out`;
  if (field.const !== undefined) return `\`${JSON.stringify(field.const)}\``;
  if (field.enum) return field.enum.map((value) => JSON.stringify(value)).join(", ") + fallback;
  if (field.anyOf) return field.anyOf.map(values).join(" or ");
  if (field.type === "integer") return `integer, ${field.minimum} to ${field.maximum}${fallback}`;
  return `${field.type}${fallback}`;
}
