import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { buildParts, reachedFrom } from "../../infra/constructs/parts.ts";

const fonts = "shared/statements/formats/fonts.ts";

test("a bundle has each font's bytes, in a file that only the first character in need reads", async () => {
  const names = [...(await readFile(fonts, "utf8")).matchAll(/readFont\("([^"]+)"\)/g)].map(
    ([, name = ""]) => name,
  );
  expect(names.length).toBeGreaterThan(5);
  const parts = await buildParts({ entryPoints: { fonts } });
  const early = reachedFrom(parts, ["fonts.mjs"], "early");
  const { resolve } = createRequire(`${process.cwd()}/${fonts}`);
  for (const name of names) {
    const text = (await readFile(resolve(name))).toString("base64");
    const holders = [...parts].filter(([, { code }]) => code.includes(text)).map(([file]) => file);
    expect(holders, name).toHaveLength(1);
    expect(early, name).not.toContain(holders[0]);
  }
  // No path of the machine that built it is left to read from.
  expect(parts.get("fonts.mjs")?.code).not.toContain('.woff")');
});
