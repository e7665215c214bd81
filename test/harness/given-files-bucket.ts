import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { toAccessKey, toSecretKey } from "../../infra/local/access/access-control.ts";
import { type ObjectPort, startObjectPort } from "../../infra/local/endpoint/object-port.ts";
import { openObjectStore } from "../../infra/local/endpoint/object-store.ts";
import { assemblyWith, region } from "../../infra/local/test/given-role.ts";

/** The bucket of files. */
export function givenFilesBucket(): void {
  const directory = mkdtempSync(join(tmpdir(), "files-"));
  let port: ObjectPort;
  beforeAll(async () => {
    port = await startObjectPort({ region, clock: { now: () => Date.now() }, check: () => {} });
    port.serve(openObjectStore(assemblyWith(), directory, { put: async () => ({ EventId: "1" }) }));
    const accessKeyId = toAccessKey("files");
    vi.stubEnv("AWS_ENDPOINT_URL_S3", port.url);
    vi.stubEnv("AWS_REGION", region);
    vi.stubEnv("AWS_ACCESS_KEY_ID", accessKeyId);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", toSecretKey(accessKeyId) ?? "");
    vi.stubEnv("FILES_BUCKET", "files");
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await port.stop();
    rmSync(directory, { recursive: true });
  });
}

/** What a presigned URL has. */
export async function fetched(url: string): Promise<string> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return answer.text();
}
