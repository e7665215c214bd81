import { expect, test } from "vitest";
import { type Machine, machines } from "./machines.ts";

test("docs/state-machines.md shows the transition tables that the code runs by", async () => {
  const page = [
    "# State machines",
    "Written by `npm test -- test/shared/state-machines.test.ts -u` from the transition tables in `shared/` and, for certificate authorities, `functions/certificates/`. A step that is " +
      "not in a table is refused with 409 `ILLEGAL_TRANSITION` and changes nothing. Of steps that race, one is taken.",
    ...machines.map(render),
  ].join("\n\n");
  await expect(`${page}\n`).toMatchFileSnapshot("../../docs/state-machines.md");
});

test("every trigger of every table is explained, and no other", () => {
  for (const { table, triggers } of machines) {
    expect([...new Set(table.map(({ trigger }) => trigger))].toSorted()).toEqual(
      Object.keys(triggers).toSorted(),
    );
  }
});

function render({ title, rule, statuses, table, triggers }: Machine): string {
  const nameOf = new Map(
    Object.entries(statuses).map(([name, value]) => [
      value,
      value === name ? name : `${value} ${spaced(name)}`,
    ]),
  );
  const rows = table.map(
    ({ from, trigger, to }) =>
      `| ${nameOf.get(from)} | ${trigger}: ${triggers[trigger]} | ${nameOf.get(to)} |`,
  );
  const arrows = table.map(({ from, trigger, to }) => `  s${from} --> s${to}: ${trigger}`);
  const states = [...nameOf].map(([value, name]) => `  s${value}: ${name}`);
  return [
    `## ${title}`,
    "",
    rule,
    "",
    "```mermaid",
    "stateDiagram-v2",
    ...states,
    ...arrows,
    "```",
    "",
    "| From | Trigger | To |",
    "|---|---|---|",
    ...rows,
  ].join("\n");
}

/** `complianceDecline` as "Compliance Decline". */
function spaced(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
