import { describe, expect, test } from "vitest";
import { rollOut } from "../../infra/constructs/roll-out.ts";

/** The steps of a deployment, which write down that they were done. */
function recording(did: string[]) {
  return {
    deployInner: async () => void did.push("inner"),
    publishTruststore: async () => {
      did.push("publish");
      return "2";
    },
    deployEdge: async (version: string) => void did.push(`edge with ${version}`),
  };
}

describe("a deployment", () => {
  test("publishes the CAs once the function that knows them is there, and deploys the hosts with them last", async () => {
    const did: string[] = [];
    await rollOut(recording(did));
    expect(did).toEqual(["inner", "publish", "edge with 2"]);
  });

  test("that fails on the way publishes nothing", async () => {
    const did: string[] = [];
    const deployInner = async () => {
      throw new Error("The deployment failed.");
    };
    await expect(rollOut({ ...recording(did), deployInner })).rejects.toThrow("The deployment failed.");
    expect(did).toEqual([]);
  });
});
