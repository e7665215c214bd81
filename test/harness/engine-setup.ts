import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { useTables } from "./engine.ts";

/** Runs before each test file, before it imports any handler: fresh tables, and the environment that names them. */
process.env.FUNDS_MOVES = inject("fundsMoves");
await useTables(inject("dynamoEndpoint"), inject("tableSchemas"), randomUUID());
