/** Data in a component: undefined while it is read, and an error that the page shows where it cannot be read. */
import { useEffect, useState } from "preact/hooks";

export function useData<T>(load: () => Promise<T>, deps: readonly unknown[] = []): T | undefined {
  const [got, set] = useState<{ value?: T; error?: unknown }>({});
  useEffect(() => {
    let here = true;
    load().then(
      (value) => here && set({ value }),
      (error: unknown) => here && set({ error }),
    );
    return () => {
      here = false;
    };
  }, deps as unknown[]);
  if (got.error !== undefined) throw got.error instanceof Error ? got.error : new Error(String(got.error));
  return got.value;
}
