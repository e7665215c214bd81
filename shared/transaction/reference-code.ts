/** The reference of a record that the network gave none: as unique as its id. */
export function referenceCodeOf(recordId: string): string {
  return recordId.slice(recordId.indexOf("_") + 1);
}
