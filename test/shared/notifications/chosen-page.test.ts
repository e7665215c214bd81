import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import {
  type ChosenEventType,
  chosenEventTypes,
  chosenNotifications,
} from "../../../shared/contract/chosen-notifications.ts";
import { EventType } from "../../../shared/contract/enums.ts";
import { chosenBody, chosenExample, chosenExamples } from "../../tools/openapi/chosen-examples.ts";

const subjects = {
  chd: "Cardholders",
  crd: "Cards",
  trf: "Transfers",
  dep: "Deposits",
  aut: "Authorizations",
  ath: "Authentications",
  rpt: "Reports",
  blk: "Bulks",
  tok: "Tokens",
  exa: "External accounts",
  plc: "Plastics",
  pay: "Payouts",
  pul: "Pulls",
} as const;

/** What the body is about: a balance is of Cards and Wallets. */
function subjectOf(eventType: ChosenEventType): string {
  if (eventType === EventType.balanceChanged) return "Balances";
  const prefix = chosenExamples[eventType][0].slice(0, 3);
  return subjects[prefix as keyof typeof subjects] ?? prefix;
}

const fieldsOf = (eventType: ChosenEventType) => Object.keys(chosenNotifications[eventType].data.shape);
const groups = Map.groupBy(chosenEventTypes, subjectOf);

/** The fields that all types of a subject have. */
function viewOf(types: readonly ChosenEventType[]): string[] {
  const [first = 90, ...others] = types;
  return fieldsOf(first).filter((name) => others.every((type) => fieldsOf(type).includes(name)));
}

function tableOf(): string[] {
  return [
    "| `eventTypes` | `type` | | `data` beside the view |",
    "|---|---|---|---|",
    ...[...groups.values()].flatMap((types) =>
      types.map((eventType) => {
        const { type, summary } = chosenNotifications[eventType];
        const more = fieldsOf(eventType).filter((name) => !viewOf(types).includes(name));
        return `| ${eventType} | \`${type}\` | ${summary} | ${more.map((name) => `\`${name}\``).join(", ")} |`;
      }),
    ),
  ];
}

/** As JSON of short lines. */
function printed(value: object): string[] {
  return ["```json", ...toLines(value), "```"];
}

function toLines(value: object, indent = ""): string[] {
  const lines: string[] = [];
  let line = `${indent} `;
  const parts = Object.entries(value);
  for (const [index, [name, one]] of parts.entries()) {
    const comma = index < parts.length - 1 ? "," : "";
    const inner =
      typeof one === "object" && JSON.stringify(one).length > 100 ? toLines(one, `${indent}  `) : [];
    const text = ` "${name}": ${inner.length > 0 ? "{" : `${JSON.stringify(one)}${comma}`}`;
    if (line.length + text.length > 130 || inner.length > 0) {
      lines.push(line);
      line = `${indent} `;
    }
    line += text;
    if (inner.length === 0) continue;
    lines.push(line, ...inner.slice(1, -1));
    line = `${indent}  }${comma}`;
  }
  return [`${indent}{`, ...lines.filter((one) => one.trim() !== ""), line, `${indent}}`];
}

const written = readFileSync("docs/webhook-events.md", "utf8");
/** What the page says of its own: before its table or example, or after it. */
const words = new Map(
  written.split(/\n(?=## )/).map((section) => {
    const [title = "", ...parts] = section.split(/^(?:\|.*|```json\n[^`]*```)$/m);
    const [heading = "", ...rest] = title.trim().split("\n\n");
    return [heading, [rest.join("\n\n"), parts.join("").trim()].filter((one) => one !== "")] as const;
  }),
);
const wordsOf = (heading: string) => words.get(heading) ?? ["undefined"];

function page(): string {
  const parts = [
    ["# Webhooks by choice", ...wordsOf("# Webhooks by choice"), tableOf().join("\n")],
    ["## The body", printed(chosenExample(EventType.balanceChanged)).join("\n"), ...wordsOf("## The body")],
    ...[...groups].map(([subject, [first = EventType.balanceChanged]]) => [
      `## ${subject}`,
      ...wordsOf(`## ${subject}`),
      printed(chosenExamples[first][1]).join("\n"),
    ]),
  ];
  return `${parts.flat().join("\n\n")}\n`;
}

test("docs/webhook-events.md has the types and examples of the contract, and words about each subject", async () => {
  await expect(page()).toMatchFileSnapshot("../../../docs/webhook-events.md");
  expect(written).not.toContain("undefined");
});

test("docs/webhooks.md names each type that can be chosen", () => {
  const text = readFileSync("docs/webhooks.md", "utf8");
  for (const eventType of chosenEventTypes) {
    const { type } = chosenNotifications[eventType];
    expect(text, type).toMatch(new RegExp(`^\\| .*\\b${eventType}\\b.* \\| .*\`${type}\``, "m"));
  }
});

describe("each type", () => {
  it.each(chosenEventTypes)(
    "%i has an example that fits what it declares, and has no other field",
    (eventType) => {
      const { data } = chosenNotifications[eventType];
      const body = chosenBody(eventType).strict().extend({ data: data.strict() });
      expect(body.safeParse(chosenExample(eventType)).error?.issues).toBeUndefined();
    },
  );

  it("is a number of the contract, and each number from 10 on is a type", () => {
    expect(chosenEventTypes).toEqual(Object.values(EventType).filter((number) => number >= 10));
    const names = chosenEventTypes.map((eventType) => chosenNotifications[eventType].type);
    expect(new Set(names).size).toBe(names.length);
  });
});
