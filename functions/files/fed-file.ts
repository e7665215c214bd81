import * as z from "zod";
import { FileKind } from "../../shared/contract/file-report.ts";

/** A file in the bucket. */
export interface FedFile {
  readonly kind: FileKind;
  readonly name: string;
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
}

/** S3's event on EventBridge. */
const ObjectCreated = z.object({
  "detail-type": z.literal("Object Created"),
  detail: z.object({
    object: z.object({ key: z.string(), size: z.int(), etag: z.string() }),
  }),
});

export const keyOf = (event: unknown) => ObjectCreated.parse(event).detail.object.key;

/** Undefined for an object that is no file of a known kind. */
export function toFedFile(event: unknown): FedFile | undefined {
  const { key, size: bytes, etag } = ObjectCreated.parse(event).detail.object;
  const [folder, kind, name, ...more] = key.split("/");
  const known = FileKind.safeParse(kind);
  if (folder !== "in" || !known.success || !name || more.length > 0) return undefined;
  return { kind: known.data, name, key, bytes, etag };
}
