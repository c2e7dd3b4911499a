import { useEffect, useMemo, useRef } from "preact/hooks";
import { Header } from "./shell/header";
import { Lazy, type Loader } from "./shell/lazy";
import { Guard } from "./shell/notices";
import { Help } from "./shell/help";
import { onKey } from "./shell/keys";
import { announce, spoken } from "./shell/live";
import { link, useLab } from "./shell/state";
import { followLanguage, loadTexts, useText } from "./shell/text";

const screens: Readonly<Record<string, Loader>> = {
  journey: () => import("./screens/journey/index"),
  wait: () => import("./screens/wait/index"),
  word: () => import("./screens/word/index"),
  energy: () => import("./screens/energy/index"),
  compare: () => import("./screens/compare/index"),
  facts: () => import("./screens/facts/index"),
  sheet: () => import("./screens/sheet/index"),
  stage: () => import("./screens/stage/index"),
  live: () => import("./screens/live/index"),
  fleet: () => import("./screens/fleet/index"),
  carry: () => import("./screens/carry/index"),
};

export function App() {
  const [state, set] = useLab();
  const t = useText();
  const moved = useRef(false);
  useEffect(() => {
    loadTexts();
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  useEffect(() => {
    const root = document.documentElement;
    if (state.theme === "auto") root.removeAttribute("data-theme");
    else root.dataset["theme"] = state.theme;
    root.dataset["motion"] = state.motion ? "on" : "off";
    followLanguage(state.lang, state.level);
  }, [state.theme, state.motion, state.lang, state.level]);
  useEffect(() => {
    const name = t(state.screen === "missing" ? "error.screen" : `nav.${state.screen}`);
    document.title = `${name} · ${t("app.name")}`;
    // A new screen starts at its top, and a screen reader at its content.
    if (moved.current) {
      window.scrollTo(0, 0);
      document.getElementById("main")?.focus({ preventScroll: true });
      announce(t("aria.new_screen", { name }));
    }
    moved.current = true;
  }, [state.screen, state.path]);
  const load = screens[state.screen];
  // The head stays as it is while a slider moves: the same node is not looked at again.
  const head = useMemo(
    () => (state.embed ? null : <Header state={state} set={set} />),
    [state.embed, state.screen, state.path, state.theme, state.level, state.lang],
  );
  const help = useMemo(() => <Help state={state} set={set} />, [state.shortcuts, state.motion, state.level, state.lang]);
  return (
    <>
      {!state.embed && (
        <a
          class="skip"
          href="#main"
          onClick={(event) => {
            event.preventDefault();
            document.getElementById("main")?.focus();
          }}
        >
          {t("app.skip")}
        </a>
      )}
      {head}
      <main id="main" tabIndex={-1}>
        <Guard at={state.screen + state.path}>
          {load ? (
            <Lazy key={state.screen} load={load} state={state} set={set} />
          ) : (
            <div class="notice">
              <h1>{t("error.screen")}</h1>
              <p>
                <a href={link("journey")}>{t("nav.journey")}</a>
              </p>
            </div>
          )}
        </Guard>
      </main>
      {help}
      <Spoken />
    </>
  );
}

function Spoken() {
  return (
    <p class="unseen" role="status" aria-live="polite">
      {spoken.value}
    </p>
  );
}
