import { type PDFDocument, PDFName, PDFRawStream, PDFStream } from "@cantoo/pdf-lib";

/**
 * A PDF of ASCII characters alone. API Gateway passes on bytes only where `Accept` names their type
 * first, and else their base64; text it always passes on.
 */
export async function asAscii(document: PDFDocument): Promise<string> {
  await document.flush();
  const { context } = document;
  context.trailerInfo.ID = undefined;
  for (const [reference, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFStream)) continue;
    const { dict } = object;
    const filter = dict.get(PDFName.of("Filter"));
    dict.set(
      PDFName.of("Filter"),
      context.obj(filter ? [PDFName.of("ASCIIHexDecode"), filter] : [PDFName.of("ASCIIHexDecode")]),
    );
    const digits = `${Buffer.from(object.getContents()).toString("hex")}>`;
    context.assign(reference, PDFRawStream.of(dict, Buffer.from(digits, "ascii")));
  }
  const bytes = await document.save({ useObjectStreams: false, addDefaultPage: false });
  return Buffer.from(bytes)
    .toString("latin1")
    .replace(/^(%PDF-\d\.\d\n)%.{4}/s, "$1%text");
}
