import { FileKind } from "../../shared/contract/file-report.ts";
import { createdObject } from "../../shared/platform/object-created.ts";

/** A file in the bucket. */
export interface FedFile {
  readonly kind: FileKind;
  readonly name: string;
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
}

export const keyOf = (event: unknown) => createdObject(event).key;

/** Undefined for an object that is no file of a known kind. */
export function toFedFile(event: unknown): FedFile | undefined {
  const { key, size: bytes, etag } = createdObject(event);
  const [folder, kind, name, ...more] = key.split("/");
  const known = FileKind.safeParse(kind);
  if (folder !== "in" || !known.success || !name || more.length > 0) return undefined;
  return { kind: known.data, name, key, bytes, etag };
}
