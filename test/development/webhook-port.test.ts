import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { connectionFile } from "../../infra/development/connection.ts";
import { openWebhookPort } from "../../infra/development/prepare.ts";

function givenDirectory() {
  const directory = mkdtempSync(join(tmpdir(), "webhook-port-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, "demo"));
  return directory;
}

it("a restart serves webhooks at the address that connected parties know", async () => {
  const directory = givenDirectory();
  const first = await openWebhookPort({ directory });
  writeFileSync(
    connectionFile(join(directory, "demo")),
    JSON.stringify({ webhookBaseUrl: `${first.url}/v2` }),
  );
  const meanwhile = await openWebhookPort({ directory });
  expect(meanwhile.url).not.toBe(first.url);
  await meanwhile.stop();
  await first.stop();
  const second = await openWebhookPort({ directory });
  expect(second.url).toBe(first.url);
  await second.stop();
});

it("another version's connection file names no port", async () => {
  const directory = givenDirectory();
  writeFileSync(connectionFile(join(directory, "demo")), "{}");
  await (await openWebhookPort({ directory })).stop();
});
