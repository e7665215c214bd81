/**
 * How many test files this process has begun; it runs several where they are not isolated. A file
 * that resets its modules does not make it another: what counts by it would never see it rise.
 */
const ofProcess = globalThis as { testFiles?: { count: number } };
ofProcess.testFiles ??= { count: 0 };
export const files = ofProcess.testFiles;
