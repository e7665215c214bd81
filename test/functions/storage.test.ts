import { expect, it } from "vitest";
import { described, everyKey, findDescription } from "./described-storage.ts";

it("docs/storage.md says of each kind of item how long it is kept", () => {
  expect(everyKey.filter((key) => !findDescription(key))).toEqual([]);
});

it("docs/storage.md names no kind of item that does not exist", () => {
  const known = new Set(everyKey.map((key) => findDescription(key)?.name));
  expect(described.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
});
