import { describe, expect, test } from "vitest";
import { rollOut } from "../../infra/roll-out.ts";

/** What a deployment did, in this order, where the bucket holds one version and the environment trusts what is in another. */
async function deployed(current: string | undefined, published: string): Promise<string[]> {
  const did: string[] = [];
  await rollOut({
    deployData: async () => void did.push("data"),
    deployService: async (version) => void did.push(`service with ${version ?? "no truststore"}`),
    currentVersion: async () => current,
    publishTruststore: async () => {
      did.push(`publish ${published}`);
      return published;
    },
  });
  return did;
}

describe("a deployment", () => {
  test("of a new environment makes the hosts once there is a CA", async () => {
    expect(await deployed(undefined, "1")).toEqual([
      "data",
      "service with no truststore",
      "publish 1",
      "service with 1",
    ]);
  });

  test("leaves the hosts alone where the CAs are as they were", async () => {
    expect(await deployed("1", "1")).toEqual(["data", "service with 1", "publish 1"]);
  });

  test("has the hosts go by changed CAs", async () => {
    expect(await deployed("1", "2")).toEqual(["data", "service with 1", "publish 2", "service with 2"]);
  });

  test("that fails on the way publishes nothing", async () => {
    const did: string[] = [];
    const steps = {
      deployData: async () => void did.push("data"),
      deployService: async () => {
        throw new Error("The deployment failed.");
      },
      currentVersion: async () => "1",
      publishTruststore: async () => {
        did.push("publish");
        return "2";
      },
    };
    await expect(rollOut(steps)).rejects.toThrow("The deployment failed.");
    expect(did).toEqual(["data"]);
  });
});
