import { filesBucket, isPartReplaced, isUploadGone } from "../platform/file-store.ts";
import { isTimeUp, TimeUpError } from "../platform/time-budget.ts";
import { objectKey, type PaymentFile, toPieces, type Upload } from "./payment-file.ts";

/** S3 takes 5 MB at least, but of the last one. */
const partBytes = 5_500_000;
type BatchIds = PaymentFile["batchIds"];

const contentType = "application/xml";

/**
 * Uploads the file to the folder that the bank reads. A long file is a multipart upload: `note`
 * stores each uploaded part, and an invocation that finds them resumes there. The object exists
 * once all its parts do. Two invocations at once upload the same bytes. Returns the batches' names.
 * @throws TimeUpError
 */
export async function uploadFile(
  file: PaymentFile,
  note: (upload: Upload) => Promise<void>,
): Promise<BatchIds> {
  try {
    return await upload(file, note);
  } catch (error) {
    const isLost = file.upload !== undefined && (isUploadGone(error) || isPartReplaced(error));
    if (!isLost) throw error;
    const { upload: _, ...anew } = file;
    return upload(anew, note);
  }
}

async function upload(file: PaymentFile, note: (upload: Upload) => Promise<void>): Promise<BatchIds> {
  const key = objectKey(file.fileId);
  const { pieces, batchIds } = await toPieces(file);
  let { upload: begun } = file;
  const put = async (body: string, next: number) => {
    const uploadId = begun?.uploadId ?? (await filesBucket.beginUpload(key, contentType));
    const tags = begun?.tags ?? [];
    const part = { uploadId, number: tags.length + 1 };
    const tag = await filesBucket.writePart(key, part, Buffer.from(body));
    begun = { uploadId, next, tags: [...tags, tag] };
    return begun;
  };
  let text = "";
  for (const [index, toText] of pieces.entries()) {
    if (index < (begun?.next ?? 0)) continue;
    if (isTimeUp()) throw new TimeUpError();
    text += await toText();
    const isLast = index === pieces.length - 1;
    if (text.length < partBytes || isLast) continue;
    await note(await put(text, index + 1));
    text = "";
  }
  if (begun === undefined) {
    await filesBucket.write(key, text, contentType);
  } else {
    const { uploadId, tags } = await put(text, pieces.length);
    await filesBucket.completeUpload(key, uploadId, tags);
  }
  return batchIds;
}
