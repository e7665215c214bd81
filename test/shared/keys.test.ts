import { describe, expect, it } from "vitest";
import { described, findDescription } from "../functions/described-storage.ts";
import { collide, haveCommon, type KeyRow, readKeys } from "../harness/declared-keys.ts";

const rows = await readKeys();

describe("keys", () => {
  it("docs/keys.md lists the keys that the entities declare", async () => {
    const page = [
      "# Keys",
      "Written by `npm test -- test/shared/keys.test.ts -u` from what each entity declares (`defineEntity`, `declareKey`): every kind of\n" +
        "item, the pattern of its key, and the file that declares it. Entities in one row are views of the same items.\n" +
        "[Storage](storage.md) says how long they are kept. No two rows can have one key: the test fails then.",
      "In a pattern, a name in braces stands for a part: an id with its prefix, a hash, a day, or text of the sender. A list of the\n" +
        "whole Program has no `{owner}`.",
      ...["issuing", "accounts", "vault"].map((table) => render(table)),
    ].join("\n\n");
    await expect(`${page}\n`).toMatchFileSnapshot("../../docs/keys.md");
  });

  it("each key is declared in a file", () => {
    expect(rows.filter(({ file }) => file === "").map(({ names }) => names)).toEqual([]);
  });

  it("no two kinds of item can have one key", () => {
    const collisions = rows.flatMap((row, index) =>
      rows
        .slice(index + 1)
        .flatMap((other) => (collide(row, other) ? `${nameOf(row)} and ${nameOf(other)}` : [])),
    );
    expect(collisions).toEqual([]);
  });

  it("their sort keys begin with capitals: an engine that ignores case finds what DynamoDB finds", () => {
    const begins = rows.map(({ pattern }) => pattern.sk.split("{", 1)[0] ?? "");
    expect(begins).toContain("CARD#");
    expect(begins.filter((begin) => begin !== begin.toUpperCase())).toEqual([]);
  });

  it.each([
    ["{programId}#{cardId}", "{programId}#{cardId}", true],
    ["{programId}#{cardId}", "{programId}#{walletId}", false],
    ["{programId}#{accountId}", "{programId}#{walletId}", true],
    ["ENTRY#{entryId}", "{month}", false],
    ["KEY#{key}", "KEY#A#B", true],
    ["{number}", "12", true],
    ["{number}", "12a", false],
  ])("%s and %s have one text in common: %s", (left, right, expected) => {
    expect(haveCommon(left, right)).toBe(expected);
  });
});

describe("docs/storage.md", () => {
  const names = rows.map(({ example }) => findDescription(example)?.name);

  it("says of each kind of item how long it is kept", () => {
    expect(rows.filter((_, at) => names[at] === undefined)).toEqual([]);
  });

  it("names no kind of item that does not exist", () => {
    expect(described.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([]);
  });
});

const nameOf = ({ names, file }: KeyRow) => `${[...new Set(names)].join(", ")} (${file})`;

function render(table: string): string {
  const lines = rows
    .filter((row) => row.table === table)
    .map(({ names, file, pattern, example }) =>
      [
        "",
        // Files are loaded at once: whose names come first may differ between two runs.
        [...new Set(names)].toSorted().join(", "),
        `\`${pattern.pk}\``,
        `\`${pattern.sk}\``,
        `\`${example.pk}\`, \`${example.sk}\``,
        `\`${file}\``,
        "",
      ]
        .join(" | ")
        .trim(),
    );
  return [
    `## Table \`${table}\``,
    "",
    "| item | partition | sort key | example | declared in |",
    "|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}
