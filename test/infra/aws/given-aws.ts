import { afterEach, beforeEach, vi } from "vitest";
import type { Settings } from "../../../infra/environments.ts";
import { type EmulatedAws, startEmulatedAws } from "./emulated-aws.ts";

/** For each test: a new account of the environment, which this process's credentials are of. */
export function givenAws({ account, region }: Settings): { readonly aws: EmulatedAws } {
  const given = {} as { aws: EmulatedAws };
  beforeEach(async () => {
    given.aws = await startEmulatedAws({ account, region, invoke: async () => ({ output: {} }) });
    // Tests of functions in the same process have services of their own.
    const others = Object.keys(process.env).filter((name) => name.startsWith("AWS_ENDPOINT_URL_"));
    for (const name of others) vi.stubEnv(name, undefined);
    vi.stubEnv("AWS_ENDPOINT_URL", given.aws.endpoint);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "deployer");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await given.aws.stop();
  });
  return given;
}
