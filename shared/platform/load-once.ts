/**
 * Imports a late part at its first use. Later uses ask Node no more: it takes some 0.1 ms to find
 * a module that is loaded. A failure is not kept.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((error) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
