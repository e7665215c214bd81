import type { Comparison, Side } from "./comparison.ts";
import { type ComparisonName, comparisons } from "./comparisons.ts";

/** Forked by compare.ts: one side of a comparison. It ends when its parent lets go of it. */
const [name, given = ""] = process.argv.slice(2);
const side: Side = JSON.parse(given);
const answer = async (work: () => Promise<object>) => {
  const result = await work().catch((error) => ({
    error: error instanceof Error ? error.stack : String(error),
  }));
  if (process.connected) process.send?.(result);
};

const { comparison }: { comparison: Comparison } = await comparisons[name as ComparisonName]();
const opening = comparison.open(side);
let work = answer(async () => ({ opened: await opening.then(() => true) }));
process.on("message", () => {
  work = work.then(() => answer(async () => ({ values: await (await opening).measure() })));
});
process.on("disconnect", async () => {
  await work;
  await opening.then(
    (open) => open.close?.(),
    () => undefined,
  );
  process.exit();
});
