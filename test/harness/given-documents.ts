import { crc32, deflateSync } from "node:zlib";

/** Small files of the kinds that evidence may have. */

export function png(width = 2, height = 2): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const rows = Buffer.alloc((1 + 3 * width) * height, 0x40);
  for (let row = 0; row < height; row += 1) rows[row * (1 + 3 * width)] = 0;
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([
    signature,
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(rows)),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const checked = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(checked));
  return Buffer.concat([length, checked, checksum]);
}

/** One grey pixel. */
export function jpeg(): Buffer {
  const segment = (marker: number, ...data: number[]) => [0xff, marker, 0, data.length + 2, ...data];
  const oneCode = [1, ...Array.from({ length: 15 }, () => 0), 0];
  return Buffer.from([
    ...[0xff, 0xd8],
    ...segment(0xdb, 0, ...Array.from({ length: 64 }, () => 1)),
    ...segment(0xc0, 8, 0, 1, 0, 1, 1, 1, 0x11, 0),
    ...segment(0xc4, 0x00, ...oneCode),
    ...segment(0xc4, 0x10, ...oneCode),
    ...segment(0xda, 1, 1, 0, 0, 63, 0),
    ...[0x3f, 0xff, 0x00],
    ...[0xff, 0xd9],
  ]);
}

export interface PdfParts {
  readonly catalogue?: string;
  readonly trailer?: string;
  /** Content of an object stream. */
  readonly packed?: string;
}

/** An empty page. */
export function pdf({ catalogue = "", trailer = "", packed }: PdfParts = {}): Buffer {
  const stream = deflateSync(Buffer.from(packed ?? "")).toString("latin1");
  const objects = [
    `<</Type /Catalog /Pages 2 0 R ${catalogue}>>`,
    "<</Type /Pages /Kids [3 0 R] /Count 1>>",
    "<</Type /Page /Parent 2 0 R /MediaBox [0 0 72 72]>>",
    ...(packed === undefined
      ? []
      : [
          `<</Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length ${stream.length}>>\nstream\n${stream}\nendstream`,
        ]),
  ];
  let text = "%PDF-1.7\n";
  const places = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const at = text.length;
  const count = objects.length + 1;
  text += `xref\n0 ${count}\n0000000000 65535 f \n${places.join("")}`;
  text += `trailer\n<</Size ${count} /Root 1 0 R ${trailer}>>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}

/** A PDF of these objects, by number, with a table of all of them. `more` is behind them. */
export function pdfOf(
  objects: readonly (readonly [number, string])[],
  { root = 1, more = "" }: { readonly root?: number; readonly more?: string } = {},
): Buffer {
  let text = "%PDF-1.7\n";
  const places = objects.map(([number, object]) => {
    const at = text.length;
    text += `${number} 0 obj\n${object}\nendobj\n`;
    return `${number} 1\n${String(at).padStart(10, "0")} 00000 n \n`;
  });
  text += `${more}\n`;
  const size = Math.max(...objects.map(([number]) => number)) + 1;
  const table = `xref\n${places.join("")}trailer\n<</Size ${size} /Root ${root} 0 R>>\n`;
  return Buffer.from(`${text}${table}startxref\n${text.length}\n%%EOF\n`, "latin1");
}
