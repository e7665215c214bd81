/** Seven years: as long as books are kept by law in most countries. */
export const keptRecordDays = 2_557;
