/** Undefined if AWS answers with this error: what was asked for is not there. */
export async function unlessMissing<T>(
  asked: Promise<T>,
  missing: abstract new (...input: never[]) => Error,
): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof missing) return undefined;
    throw error;
  }
}
