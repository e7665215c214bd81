import { inject } from "vitest";

/** Where the platforms and handlers of this file note which grants they have needed: test/grants reads it when all have run. */
process.env.LOCAL_USED_GRANTS = inject("usedGrants");
