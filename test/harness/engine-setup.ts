import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import "./derived-once.ts";
import { ownEngine } from "./dynamo/serve.ts";
import { useTables } from "./engine.ts";
import "./light-client.ts";

/** Runs before each test file imports a handler: fresh tables, and their environment. */

// What a file of this process has set before counts for that one alone.
process.env.LOG_LEVEL = inject("logLevel");
process.env.FUNDS_MOVES = inject("fundsMoves");
const own = process.env.TEST_DYNAMODB === undefined ? await ownEngine() : undefined;
await useTables(own?.endpoint ?? inject("dynamoEndpoint"), inject("tableSchemas"), randomUUID(), own?.engine);
// Tests use the ledger directly too.
await import("../../shared/ledger/hot/door.ts");
const { startIds } = await import("./ids-of-file.ts");
startIds();
