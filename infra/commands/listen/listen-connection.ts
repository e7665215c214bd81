import { z } from "zod";

export const ListenConnection = z.object({
  baseUrl: z.url(),
  controlUrl: z.url(),
  cert: z.string(),
  key: z.string(),
  ca: z.string(),
  programApiKey: z.string(),
  receivers: z.array(z.string()),
});
export type ListenConnection = z.output<typeof ListenConnection>;
