/**
 * The layout of what is stored. There is no code for another one: a change of it also moves
 * what is stored, raises this number, and records the store of test/tools/upgrade anew.
 */
export const storeLayout = 4;
