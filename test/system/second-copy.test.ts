import { expect, test } from "vitest";
import { practise } from "../tools/drill/practice.ts";
import { secondCopyDrill } from "../tools/drill/second-copy.ts";

test("a platform serves from the second copy: receivers name what came since, and repeated it is booked once", {
  timeout: 360_000,
}, async () => {
  const steps: string[] = [];
  await practise((line) => steps.push(line), secondCopyDrill);
  expect(steps.join("\n")).toMatch(/Receivers name what is lost.*\n.*repeat.*\n.*\n.*The books are in order/);
});
