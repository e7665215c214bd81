import { describe } from "vitest";
import { testBundles } from "./bundle-rules.ts";

describe("the bundles of a deployment", () => {
  testBundles({ joined: true });
});
