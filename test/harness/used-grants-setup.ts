import { expect, inject } from "vitest";

/**
 * The platforms and handlers of this file record the grants that they use; test/grants reads them.
 * Others have templates of their own.
 */
const isOfFunctions = /\/test\/(functions|listener|system)\//.test(expect.getState().testPath ?? "");
if (isOfFunctions) process.env.LOCAL_USED_GRANTS = inject("usedGrants");
else delete process.env.LOCAL_USED_GRANTS;
