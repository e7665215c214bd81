import { randomUUID } from "node:crypto";
import type * as Ulid from "ulid";
import { inject, vi } from "vitest";
import "./derived-once.ts";
import { ownEngine } from "./dynamo/serve.ts";
import { useTables } from "./engine.ts";
import { files } from "./files-of-this-process.ts";
import "./light-client.ts";

/** Runs before each test file imports a handler: fresh tables, and their environment. */

// Ids are monotonic: a file that moved the clock ahead must not date the next file's ids.
vi.mock("ulid", async (importOriginal) => {
  const ulid = await importOriginal<typeof Ulid>();
  const monotonicFactory: typeof Ulid.monotonicFactory = (random) => {
    let next = ulid.monotonicFactory(random);
    let file = files.count;
    return (time) => {
      if (file !== files.count) next = ulid.monotonicFactory(random);
      file = files.count;
      return next(time);
    };
  };
  return { ...ulid, monotonicFactory };
});

files.count += 1;
// What a file of this process has set before counts for that one alone.
process.env.LOG_LEVEL = inject("logLevel");
process.env.FUNDS_MOVES = inject("fundsMoves");
const own = process.env.TEST_DYNAMODB === undefined ? await ownEngine() : undefined;
await useTables(own?.endpoint ?? inject("dynamoEndpoint"), inject("tableSchemas"), randomUUID(), own?.engine);
// Tests use the ledger directly too.
await import("../../shared/ledger/hot/door.ts");
