import * as z from "zod";

/** S3's event on EventBridge. */
const ObjectCreated = z.object({
  "detail-type": z.literal("Object Created"),
  detail: z.object({
    object: z.object({ key: z.string(), size: z.int(), etag: z.string() }),
  }),
});

export type CreatedObject = z.output<typeof ObjectCreated>["detail"]["object"];

export function createdObject(event: unknown): CreatedObject {
  return ObjectCreated.parse(event).detail.object;
}
