import { expect, test } from "vitest";
import * as z from "zod";
import { merchantFields } from "../../../shared/contract/card-network.ts";
import { TransactionType } from "../../../shared/contract/enums.ts";
import { ProcessorEvent, ProcessorResult } from "../../../shared/contract/processor.ts";
import { settledKinds } from "../../../shared/network-events/card-event.ts";
import { answerNotes, fieldNotes } from "./processor-fields.ts";
import { kindGuides } from "./processor-guide.ts";

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

const schemas = new Map(
  ProcessorEvent.options.map((option) => [
    option.shape.kind.value,
    z.toJSONSchema(option, { io: "input" }) as unknown as Schema,
  ]),
);

/** Fields that the page explains once. */
const ofEveryEvent = ["eventId", "programId", "kind", "occurredAt"];
const ofMerchant = Object.keys(merchantFields);

const examples = Object.entries(kindGuides).map(([kind, { example }]) => ({
  ...{ eventId: "event-1", programId: "prg_00000000000000000000000001", kind },
  ...example,
}));
const answer = {
  outcome: "applied",
  approved: true,
  authorizationId: "auth-7",
  amount: 2_500,
  transId: "txn_00000000000000000000000001",
};

test("docs/processor.md shows the contract for processors", async () => {
  const page = [introduction(), ...Object.keys(kindGuides).map((kind) => section(kind as never))].join(
    "\n\n",
  );
  await expect(`${page}\n`).toMatchFileSnapshot("../../../docs/processor.md");
});

test("every example is an event of the contract, and has no field that the contract does not know", () => {
  for (const example of examples) expect(ProcessorEvent.parse(example)).toMatchObject(example);
  expect(ProcessorResult.parse(answer)).toEqual(answer);
});

test("every field of every kind is explained, and no other", () => {
  const explained = new Set(Object.keys(fieldNotes).map((name) => name.split(".").at(-1) ?? ""));
  const names = new Set([...schemas.values()].flatMap(({ properties }) => Object.keys(properties)));
  expect([...explained].toSorted()).toEqual([...names].toSorted());
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

const answeredAtOnce = Object.entries(kindGuides)
  .filter(([, { when }]) => when.includes("Invoke the function"))
  .map(([kind]) => kind);

function named(kinds: readonly string[], word: "and" | "or"): string {
  const names = kinds.map((kind) => `\`${kind}\``);
  return `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`;
}

function introduction(): string {
  const authorization = schemas.get("authorization");
  const [example = {}] = examples;
  if (!authorization) throw new Error("The contract has no authorizations.");
  return `# Events of the processor

The adapter of a card network, bank or compliance provider sends these events to the platform. The sandbox sends the
same events.

Generated from the contract by \`npm test -- test/shared/network-events/processor-page.test.ts -u\`.

## Send an event

Some kinds need an answer at once:
${named(answeredAtOnce, "and")}.
Invoke the function \`processor-events\` by its alias \`live\`, with the event as payload:

${json(example)}

The function answers:

${json(answer)}

Send all other events to the queue \`processor-events\` (stack output \`ProcessorQueueUrl\`), one event as JSON in each message.

- An event is applied once for its \`eventId\`. A repetition, however late, gets the first answer and moves nothing. A clearing, refund,
  fee or deposit of another kind or amount under it, or a deposit on another account, is answered \`ILLEGAL_TRANSITION\`, and kept for
  the operator.
- The queue needs no order. An event whose subject does not exist yet (\`NOT_FOUND\`) stays in the queue and is tried again,
  and so does a malformed one. After more than an hour it goes to the dead-letter queue.
- The events of one authorization lead to the same balances in any order. A clearing, reversal or expiry that comes first
  is applied, and its authorization then holds less or nothing.
- A deposit for a card that accepts none goes to suspense at once. One for an unknown card or wallet goes there after an hour
  in the queue. The answer has a \`suspenseId\`, and the operator assigns or returns the money. Later events of the same
  \`depositId\` apply to it there. By direct invocation, a deposit for an unknown account is always \`NOT_FOUND\`: send it to
  the queue.

\`ledger = available + held + pending\` for every card and wallet. Amounts are integers of minor units.

## Read the answer

\`{"outcome": "refused", "code": "NOT_FOUND"}\`: the subject does not exist yet. Send the event again.

\`{"outcome": "refused", "code": "ILLEGAL_TRANSITION"}\`: the state does not permit the event.
Nothing changed, and repetitions get the same answer.

\`{"outcome": "refused", "code": "REFERENCE_EXISTS"}\`: another ${named(settledKinds, "or")} of the Program has settled
with this \`referenceCode\`. Nothing changed. In the queue, the event becomes a dead letter after more than an hour.

\`{"outcome": "applied", …}\` has the fields that the event's kind has:

| Field | |
|---|---|
${Object.entries(answerNotes)
  .map(([name, note]) => `| \`${name}\` | ${note} |`)
  .join("\n")}

## Fields of every event

${table("authorization", authorization, (name) => ofEveryEvent.includes(name)).join("\n")}

## Fields of the merchant

Kinds that say so can have these fields.

${table("authorization", authorization, (name) => ofMerchant.includes(name)).join("\n")}`;
}

function section(kind: ProcessorEvent["kind"]): string {
  const schema = schemas.get(kind);
  const { when, effect, writes, notes = [], example } = kindGuides[kind];
  if (!schema) throw new Error(`The contract has no ${kind}.`);
  const hasMerchant = ofMerchant.every((name) => name in schema.properties);
  const isOwn = (name: string) => !ofEveryEvent.includes(name) && !(hasMerchant && ofMerchant.includes(name));
  return [
    `## \`${kind}\``,
    "",
    when,
    "",
    json({ kind, ...example }),
    "",
    `- Balances: ${effect}.`,
    `- Writes: ${writes}.`,
    ...notes.map((note) => `- ${note}`),
    "",
    ...table(kind, schema, isOwn),
    ...(hasMerchant ? ["", "It can have the [fields of the merchant](#fields-of-the-merchant)."] : []),
  ].join("\n");
}

function table(kind: string, { properties, required }: Schema, isShown: (name: string) => boolean): string[] {
  return [
    "| Field | | Values | |",
    "|---|---|---|---|",
    ...Object.entries(properties)
      .filter(([name]) => isShown(name))
      .map(([name, field]) => {
        const need = required.includes(name) ? "required" : "optional";
        const allowed = name === "kind" ? "one of the kinds below" : values(field);
        return `| \`${name}\` | ${need} | ${allowed} | ${fieldNotes[`${kind}.${name}`] ?? fieldNotes[name]} |`;
      }),
  ];
}

function values(field: Field): string {
  const fallback = field.default === undefined ? "" : `. Default: ${JSON.stringify(field.default)}`;
  if (field.const !== undefined) return `\`${JSON.stringify(field.const)}\``;
  if (field.enum) return field.enum.map((value) => JSON.stringify(value)).join(", ") + fallback;
  if (field.anyOf) return field.anyOf.map(values).join(" or ");
  if (field.type === "integer") return `integer, ${field.minimum} to ${field.maximum}${fallback}`;
  return `${field.type}${fallback}`;
}

/** A code block, with as many fields in each line as it is wide. */
function json(value: object): string {
  const lines = [""];
  for (const [name, field] of Object.entries(value)) {
    const last = lines.length - 1;
    const added = `${lines[last]}, ${JSON.stringify(name)}: ${JSON.stringify(field)}`;
    if (added.length > 110) lines.push(`, ${JSON.stringify(name)}: ${JSON.stringify(field)}`);
    else lines[last] = added;
  }
  return `\`\`\`json\n{${lines.map((line) => line.slice(2)).join(",\n ")}}\n\`\`\``;
}
