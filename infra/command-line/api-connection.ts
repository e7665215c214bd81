import { z } from "zod";

/** What calls the API: of `.local/connection.json`, or of a file for a deployed environment. */
export const ApiConnection = z.object({
  /** Up to and with `/v2`. */
  baseUrl: z.url(),
  /** A deployed environment's sandbox has a host of its own. Absent in production. */
  sandboxUrl: z.url().optional(),
  /** PEM files: client certificate and key, and the server's CA if it is not public. */
  cert: z.string(),
  key: z.string(),
  ca: z.string().optional(),
  programApiKey: z.string(),
  tenantApiKey: z.string().optional(),
});
export type ApiConnection = z.output<typeof ApiConnection>;
