import { expect, test } from "vitest";
import { drill } from "../tools/drill/drill.ts";
import { practise } from "../tools/drill/practice.ts";

test("a platform serves from a copy of a store under load: books, lists and notifications are complete", {
  timeout: 360_000,
}, async () => {
  const steps: string[] = [];
  await practise((line) => steps.push(line), drill);
  expect(steps.join("\n")).toContain("The books are in order.");
});
