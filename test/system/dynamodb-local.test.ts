import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Platform, startPlatform } from "../../infra/development/platform.ts";
import { thisMachine } from "../../infra/local/engines/choose-engine.ts";
import { givenCard } from "../harness/given-cards.ts";
import { demoProgram } from "../harness/given-live-program.ts";
import { auditBooks } from "../tools/prove/cards.ts";

/** What a week takes on the default engine, many times over. */
const clockTimeoutMs = 60_000;

describe.skipIf(thisMachine.javaVersion() === undefined)("a platform on DynamoDB Local", () => {
  const directory = mkdtempSync(join(tmpdir(), "dynamodb-local-"));
  let platform: Platform;

  beforeAll(async () => {
    platform = await startPlatform({ port: 0, directory, dynamodb: "dynamodb-local", receivers: [] });
  });
  afterAll(async () => {
    await platform?.stop();
    rmSync(directory, { recursive: true });
  });

  it("answers requests at once, and moves its clock by a week after hundreds of events", async () => {
    const { connection } = platform;
    const program = demoProgram(connection);
    const cards = await Promise.all(Array.from({ length: 4 }, () => givenCard(program)));
    const use = async (cardId: string) => {
      const path = { cardId };
      const deposit = { amount: 100_000, pending: false };
      await program.call("POST /cards/{cardId}/deposits", { path, body: deposit });
      for (let count = 0; count < 50; count += 1) {
        const { body } = await program.call("POST /cards/{cardId}/authorizations", {
          path,
          body: { amount: 100 },
        });
        expect(body.data).toMatchObject({ approved: true });
      }
    };
    await Promise.all(cards.map(({ cardId }) => use(cardId)));

    const signal = AbortSignal.timeout(clockTimeoutMs);
    const advance = { method: "POST", body: '{"advance":"7d"}', signal };
    const { status } = await fetch(`${connection.controlUrl}/clock`, advance);
    expect(status).toBe(200);
    await program.close();
    await auditBooks(directory);
  });
});
