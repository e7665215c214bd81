import { expect, it } from "vitest";
import { costsOfWrites } from "../tools/bench/list-writes.ts";

it("takes 2,207 of the 2,497 write units that are a Card's life's limit: the rest is for compactions", async () => {
  // What these add depends on the lists' lengths: `npm run bench -- lists` measures it.
  const life = (await costsOfWrites(new Map())).at(-1);
  expect(life?.cells[0]).toMatch("100 purchases");
  expect(Number(life?.cells[4])).toBeLessThanOrEqual(2_207);
}, 60_000);
