/**
 * Imports a late part with its first use. Node takes as long as for a log line to find a module
 * that is loaded. A failure is not kept.
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
