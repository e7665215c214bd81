/**
 * `npm run deploy` of staging's second region, which serves: `<who writes> <assembly>
 * <connections>`.
 */
import { deployEnvironment } from "../../../infra/commands/deploy/deploy-environment.ts";
import { servingSettings } from "../given-serving.ts";

const [writes = "", assembly = "", connections = ""] = process.argv.slice(2);
try {
  await deployEnvironment(
    {
      environment: "staging",
      region: "second",
      bootstrap: true,
      assembly,
      caller: undefined,
      "caller-domain": undefined,
      "no-caller": true,
      "keep-data": false,
      "ignore-quotas": false,
      "ignore-trail": false,
      accept: [],
      connections,
      patience: 0,
      ofCdk: ["--require-approval", "never"],
    },
    (name) => servingSettings(name, writes === "second" ? "second" : "first"),
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
