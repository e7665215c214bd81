import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import * as z from "zod";

const text = readFileSync(".github/workflows/deploy.yml", "utf8");
const Step = z.strictObject({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.union([z.string(), z.boolean()])).optional(),
});
const Job = z.strictObject({
  needs: z.string().optional(),
  "runs-on": z.union([z.string(), z.array(z.string())]),
  "timeout-minutes": z.int(),
  environment: z.string().optional(),
  permissions: z.record(z.string(), z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  steps: z.array(Step),
});
const Workflow = z.strictObject({
  name: z.string(),
  on: z.strictObject({ push: z.strictObject({ tags: z.array(z.string()) }) }),
  permissions: z.record(z.string(), z.string()),
  concurrency: z.strictObject({ group: z.string(), "cancel-in-progress": z.literal(false) }),
  jobs: z.strictObject({ build: Job, staging: Job, production: Job }),
});
const { on, permissions, jobs } = Workflow.parse(load(text));
const { build, staging, production } = jobs;
const runs = staging.steps.map(({ run = "" }) => run).join("\n");

test("the pipeline deploys one assembly, to staging first, and to production once somebody agrees", () => {
  expect(on.push.tags).toEqual(["v*"]);
  expect([build.needs, staging.needs, production.needs]).toEqual([undefined, "build", "staging"]);
  // Reviewers are the environment's.
  expect([staging.environment, production.environment]).toEqual(["staging", "production"]);
  expect([staging.env, production.env]).toEqual([{ ENVIRONMENT: "staging" }, { ENVIRONMENT: "production" }]);
  expect(production.steps).toEqual(staging.steps);
  expect(runs).toContain("sha256sum --check SHA256SUMS");
  expect(runs).toContain('npm run deploy -- "$ENVIRONMENT" --assembly "cdk.out/$ENVIRONMENT"');
  expect(runs).not.toMatch(/synth|--no-caller/);
});

test("the pipeline has no secret: AWS trusts its runs", () => {
  expect(text).not.toContain("secrets.");
  expect(permissions).toEqual({ contents: "read" });
  expect(build.permissions).toBeUndefined();
  for (const job of [staging, production])
    expect(job.permissions).toEqual({ contents: "read", "id-token": "write" });
});

/** The first versions that run on Node 24: GitHub's runners have no older one since 2026-09. */
const onNode24: Readonly<Record<string, number>> = {
  "actions/checkout": 5,
  "actions/setup-node": 5,
  "actions/upload-artifact": 6,
  "actions/download-artifact": 7,
  "aws-actions/configure-aws-credentials": 6,
};

test("the pipeline has what GitHub takes: each step one action or script, aliases but no merge keys", () => {
  // GitHub reads anchors and aliases since 2025-09, and refuses merge keys.
  expect(text).not.toMatch(/^\s*(- )?<<:/m);
  for (const { uses, run, with: inputs } of [...build.steps, ...staging.steps]) {
    expect([uses, run].filter((one) => one !== undefined)).toHaveLength(1);
    if (uses === undefined) {
      expect(inputs).toBeUndefined();
      continue;
    }
    const [, action = "", version] = /^([\w-]+\/[\w-]+)@v(\d+)$/.exec(uses) ?? [];
    expect(Number(version), uses).toBeGreaterThanOrEqual(onNode24[action] ?? Number.NaN);
  }
  const [sent, taken] = [build, staging].map(({ steps }) =>
    steps.find(({ uses = "" }) => /(upload|download)-artifact/.test(uses)),
  );
  expect(taken?.with?.name).toBe(sent?.with?.name);
  // The release is in a hidden folder, which is left out otherwise.
  expect(sent?.with).toMatchObject({ path: ".release/*/", "include-hidden-files": true });
});
