/** A screen is loaded when it is first asked for; while it loads and when it cannot be loaded, the page says so. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ScreenProps } from "./state";
import { Failure, Loading } from "./notices";

type Module = { readonly default: ComponentType<ScreenProps> };
export type Loader = () => Promise<Module>;

const loaded = new Map<Loader, ComponentType<ScreenProps>>();

export function Lazy({ load, ...props }: ScreenProps & { readonly load: Loader }) {
  const [, again] = useState(0);
  const [error, fail] = useState<unknown>(null);
  useEffect(() => {
    if (loaded.has(load)) return;
    let here = true;
    fail(null);
    load().then(
      (module) => {
        loaded.set(load, module.default);
        if (here) again((n) => n + 1);
      },
      (reason: unknown) => here && fail(reason),
    );
    return () => {
      here = false;
    };
  }, [load]);
  const Screen = loaded.get(load);
  if (Screen) return <Screen {...props} />;
  return error === null ? <Loading /> : <Failure error={error} />;
}
