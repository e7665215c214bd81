import { afterEach, expect, vi } from "vitest";
import type { FunctionName } from "../../infra/constructs/table-permissions.ts";
import { tablePermissions } from "../../infra/constructs/table-permissions.ts";
import { denied, runAs } from "./function-permissions.ts";

/** Runs before each file that calls handlers: each has its function's permissions. */
for (const name of Object.keys(tablePermissions) as FunctionName[]) {
  vi.doMock(`../../functions/${name}/handler.ts`, async (importOriginal) => {
    const { handler } = await importOriginal<{ handler: (...input: unknown[]) => unknown }>();
    return { handler: (...input: unknown[]) => runAs(name, () => handler(...input)) };
  });
}

afterEach(() => expect(denied.splice(0)).toEqual([]));
