import { type Dictionary, MalformedError } from "./pdf-tokens.ts";

/** Undoes PNG's predictors (ISO 32000-1, 7.4.4.4), or TIFF's for whole bytes. */
export function withoutPredictor(data: Uint8Array, parameters: Dictionary | undefined): Uint8Array {
  const numberOf = (name: string, otherwise: number) => {
    const value = parameters?.entries.get(name) ?? otherwise;
    if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
    throw new MalformedError(`a wrong ${name}`);
  };
  const predictor = numberOf("Predictor", 1);
  if (predictor === 1) return data;
  const [bits, colors] = [numberOf("BitsPerComponent", 8), numberOf("Colors", 1)];
  const width = Math.ceil((numberOf("Columns", 1) * colors * bits) / 8);
  const left = Math.ceil((colors * bits) / 8);
  if (predictor >= 10 && predictor <= 15) return undo(data, { width, left, tag: 1 });
  if (predictor === 2 && bits === 8) return undo(data, { width, left, tag: 0 });
  throw new MalformedError("a predictor that is not known");
}

interface Rows {
  /** How many bytes a row has, without its tag. */
  readonly width: number;
  /** How many bytes to the left a pixel has its neighbour. */
  readonly left: number;
  /** A row of PNG begins with a byte that names its predictor. */
  readonly tag: 0 | 1;
}

function undo(data: Uint8Array, { width, left, tag }: Rows): Uint8Array {
  const rows = Math.ceil(data.length / (width + tag));
  const out = Buffer.alloc(data.length - tag * rows);
  for (let row = 0; row < rows; row += 1) {
    const from = row * (width + tag);
    const kind = tag === 1 ? (data[from] ?? 0) : 1;
    const to = row * width;
    const length = Math.min(width, out.length - to);
    for (let index = 0; index < length; index += 1) {
      const at = to + index;
      const west = index < left ? 0 : (out[at - left] ?? 0);
      const north = out[at - width] ?? 0;
      const northWest = index < left ? 0 : (out[at - width - left] ?? 0);
      out[at] = (data[from + tag + index] ?? 0) + guess(kind, west, north, northWest);
    }
  }
  return out;
}

function guess(kind: number, west: number, north: number, northWest: number): number {
  if (kind === 0) return 0;
  if (kind === 1) return west;
  if (kind === 2) return north;
  if (kind === 3) return (west + north) >> 1;
  if (kind !== 4) throw new MalformedError("a row of no kind");
  const toWest = Math.abs(north - northWest);
  const toNorth = Math.abs(west - northWest);
  const toBoth = Math.abs(west + north - 2 * northWest);
  if (toWest <= toNorth && toWest <= toBoth) return west;
  return toNorth <= toBoth ? north : northWest;
}
