import { expect, test } from "vitest";
import { environmentNames } from "../../infra/environments.ts";
import { synthesized } from "./synthesized.ts";

/** Shows in a review what a change does to the stacks. What follows from the content of files is masked. */
test.each(environmentNames)("the stacks of %s are those of the snapshot", async (name) => {
  const templates = Object.entries(synthesized(name)).map(([part, template]) => [part, template.toJSON()]);
  const stacks = JSON.stringify(Object.fromEntries(templates), null, 2)
    .replaceAll(/[0-9a-f]{64}\.zip/g, "<asset>.zip")
    .replaceAll(/(Deployment[0-9A-F]{8})[0-9a-f]{32}/g, "$1<content>");
  await expect(`${stacks}\n`).toMatchFileSnapshot(`__snapshots__/${name}.json`);
});
