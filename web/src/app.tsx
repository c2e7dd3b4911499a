import { useEffect } from "preact/hooks";
import { Header } from "./shell/header";
import { Lazy, type Loader } from "./shell/lazy";
import { Guard } from "./shell/notices";
import { onKey } from "./shell/keys";
import { spoken } from "./shell/live";
import { link, useLab } from "./shell/state";

const screens: Readonly<Record<string, Loader>> = {
  journey: () => import("./screens/journey/index"),
  wait: () => import("./screens/wait/index"),
  word: () => import("./screens/word/index"),
  energy: () => import("./screens/energy/index"),
  compare: () => import("./screens/compare/index"),
  facts: () => import("./screens/facts/index"),
  sheet: () => import("./screens/sheet/index"),
  stage: () => import("./screens/stage/index"),
};

export function App() {
  const [state, set] = useLab();
  useEffect(() => {
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  useEffect(() => {
    const root = document.documentElement;
    if (state.theme === "auto") root.removeAttribute("data-theme");
    else root.dataset["theme"] = state.theme;
    root.dataset["motion"] = state.motion ? "on" : "off";
    root.lang = state.lang;
  }, [state.theme, state.motion, state.lang]);
  const load = screens[state.screen];
  return (
    <>
      {!state.embed && <Header state={state} set={set} />}
      <main id="main" tabIndex={-1}>
        <Guard at={state.screen + state.path}>
          {load ? (
            <Lazy key={state.screen} load={load} state={state} set={set} />
          ) : (
            <div class="notice">
              <h1>There is no such screen</h1>
              <p class="prose">
                The address names a screen that this lab does not have. <a href={link("journey")}>Start with the journey.</a>
              </p>
            </div>
          )}
        </Guard>
      </main>
      <p class="unseen" role="status" aria-live="polite">
        {spoken.value}
      </p>
    </>
  );
}
