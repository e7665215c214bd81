import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { startPlatform } from "../../infra/development/platform.ts";
import { layoutFile } from "../../infra/development/prepare.ts";
import { removeTemporaryDirectories, temporaryDirectory } from "../../infra/local/test/given-assembly.ts";

afterAll(removeTemporaryDirectories);

it.each([undefined, "0"])(
  "a store of the layout %s is left as it is: the start says how to start over",
  async (layout) => {
    const directory = join(temporaryDirectory(), "a store");
    mkdirSync(join(directory, "dynamodb"), { recursive: true });
    writeFileSync(join(directory, "connection.json"), "{}");
    if (layout !== undefined) writeFileSync(layoutFile(directory), layout);
    const before = readdirSync(directory, { recursive: true });
    const starting = startPlatform({ port: 0, directory, dynamodb: "dynoxide", receivers: [] });
    await expect(starting).rejects.toThrow(
      `The store in ${directory} has another layout than this version's: start over with rm -r '${directory}' && npm start`,
    );
    expect(readdirSync(directory, { recursive: true })).toEqual(before);
  },
);
