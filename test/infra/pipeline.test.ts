import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const text = readFileSync(".github/workflows/deploy.yml", "utf8").replaceAll(/^ *#.*\n/gm, "");
const [before = "", inJobs = ""] = text.split(/^jobs:$/m);
/** The jobs' lines, by name, in their order. */
const jobs = Object.fromEntries(
  inJobs.split(/^ {2}(?=\w+:$)/m).flatMap((job) => {
    const [, name, lines] = /^(\w+):\n([\s\S]*)$/.exec(job) ?? [];
    return name === undefined ? [] : [[name, lines ?? ""]];
  }),
);

test("the pipeline deploys one assembly, to staging first, and to production once somebody agrees", () => {
  expect(Object.keys(jobs)).toEqual(["build", "staging", "production"]);
  const { staging = "", production = "" } = jobs;
  expect(staging).toMatch(/^ {4}needs: build\n/);
  expect(production).toMatch(/^ {4}needs: staging\n/);
  // Reviewers are the environment's.
  expect(staging).toContain("    environment: staging\n");
  expect(production).toContain("    environment: production\n");
  expect(staging).toContain("    steps: &deploy\n");
  expect(production).toContain("    steps: *deploy\n");
  expect(staging).toContain("sha256sum --check SHA256SUMS");
  expect(staging).toContain('npm run deploy -- "$ENVIRONMENT" --assembly "cdk.out/$ENVIRONMENT"');
  expect(staging).not.toMatch(/synth|--no-caller/);
});

test("the pipeline has no secret: AWS trusts its runs", () => {
  expect(text).not.toContain("secrets.");
  expect(before).toContain("permissions:\n  contents: read\n");
  expect(jobs.build).not.toContain("permissions:");
  for (const job of [jobs.staging, jobs.production]) expect(job).toContain("      id-token: write\n");
});
