import * as z from "zod";

const Row = z.object({
  date: z.string(),
  description: z.string(),
  amount: z.string().optional(),
  balance: z.string(),
  isBold: z.boolean().optional(),
});
export type Row = Readonly<z.output<typeof Row>>;

/** A document under way: what the parts that are written say, and the rows of the next page. */
export const PdfState = z.object({
  bytes: z.int(),
  next: z.int(),
  rows: z.array(Row),
  used: z.record(z.string(), z.string()),
  /** The document's elements before the table, and the table's head. */
  elements: z.array(z.int()),
  head: z.int().optional(),
  /** The lengths of each page's two streams, and how many objects the second has. */
  pages: z.array(z.tuple([z.int(), z.int(), z.int()])),
});
export type PdfState = Readonly<z.output<typeof PdfState>>;
