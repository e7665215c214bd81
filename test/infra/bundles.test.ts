import { describe } from "vitest";
import { testBundles } from "./bundle-rules.ts";

/** As `npm start` has them. The proof joins them as a deployment does, which takes much longer. */
describe("the bundles", () => {
  testBundles({ joined: false });
});
