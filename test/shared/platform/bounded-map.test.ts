import { describe, expect, it } from "vitest";
import { BoundedMap } from "../../../shared/platform/bounded-map.ts";

describe("a bounded map", () => {
  it("drops only the oldest entry", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1);
    map.set("b", 2);
    map.set("a", 3);
    map.set("c", 4);
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([3, undefined, 4]);
  });
});
