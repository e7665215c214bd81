import { inject } from "vitest";

/** This file's platforms and handlers record the grants they use; test/grants reads them. */
process.env.LOCAL_USED_GRANTS = inject("usedGrants");
