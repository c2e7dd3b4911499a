/** The head of every page: the screens, the reader's level and colors, what can be taken away, the keys. */
import { useEffect, useState } from "preact/hooks";
import { languages, levelsOf } from "../core/strings";
import { helpOpen } from "./help";
import { useKeys } from "./keys";
import { announce } from "./live";
import { Menu } from "./menu";
import { copy, csv, done, drawing, png, save, share, tell } from "./share";
import { fullLink, LEVELS, link, type Level, type ScreenProps, type Theme } from "./state";
import { useText } from "./text";

const TABS = ["journey", "wait", "live", "carry", "fleet", "word", "energy", "compare", "facts", "sheet"] as const;

/** What "auto" is at the moment. */
function useDark(theme: Theme): boolean {
  const media = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: light)") : null;
  const [light, setLight] = useState(media?.matches ?? false);
  useEffect(() => {
    const changed = () => setLight(media?.matches ?? false);
    media?.addEventListener("change", changed);
    return () => media?.removeEventListener("change", changed);
  }, []);
  return theme === "dark" || (theme === "auto" && !light);
}

export function Header({ state, set }: ScreenProps) {
  const t = useText();
  const dark = useDark(state.theme);
  const other = dark ? "light" : "dark";
  useKeys([{ key: "?", does: t("key.help"), run: () => void (helpOpen.value = true) }], [state.lang, state.level]);
  const links = (close?: () => void) =>
    TABS.map((screen) => (
      <a
        key={screen}
        class={close ? "ghost" : undefined}
        href={link(screen)}
        aria-current={state.screen === screen ? "page" : undefined}
        onClick={close}
      >
        {t(`nav.${screen}`)}
      </a>
    ));
  const theme = (
    <button class="ghost" onClick={() => set({ theme: other })} title={t("theme.label")} aria-label={t(`theme.switch.${other}`)}>
      {t(`theme.${other}`)}
    </button>
  );
  const level = (
    <label class="ghost level">
      {t("level.label")}
      <select value={state.level} onChange={(event) => set({ level: event.currentTarget.value as Level })}>
        {LEVELS.map((each) => (
          <option key={each} value={each}>
            {t(`level.${each}`)}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <header class="head">
      <a class="mark" href={link("journey")}>
        Round trip
      </a>
      <nav aria-label={t("nav.label")}>{links()}</nav>
      <div class="right">
        {languages().length > 1 && (
          <span class="wide">
            <Languages state={state} set={set} />
          </span>
        )}
        {level}
        <span class="wide">{theme}</span>
        <Menu label={t("action.share.short")} class="wide">
          {(close) => <Shares state={state} close={close} />}
        </Menu>
        {done.value && (
          <span class="told" aria-hidden="true">
            {done.value}
          </span>
        )}
        <button class="ghost wide" onClick={() => (helpOpen.value = true)}>
          {t("key.title")} <kbd class="after">?</kbd>
        </button>
        <Menu label={t("nav.menu")} class="menu-button">
          {(close) => (
            <>
              {links(close)}
              <hr />
              {languages().length > 1 && <Languages state={state} set={set} />}
              {theme}
              <button
                class="ghost"
                onClick={() => {
                  close();
                  helpOpen.value = true;
                }}
              >
                {t("key.title")}
              </button>
              <hr />
              <Shares state={state} close={close} />
            </>
          )}
        </Menu>
      </div>
    </header>
  );
}

function Languages({ state, set }: ScreenProps) {
  const t = useText();
  // A language need not speak all levels: the nearest that it does comes with it.
  const choose = async (lang: string) => {
    const spoken = await levelsOf(lang);
    set({ lang, level: spoken.includes(state.level) ? state.level : (spoken[0] ?? state.level) });
  };
  return (
    <label class="ghost level">
      <span class="unseen">{t("lang.label")}</span>
      <select value={state.lang} onChange={(event) => void choose(event.currentTarget.value)}>
        {languages().map((each) => (
          <option key={each} value={each} lang={each}>
            {new Intl.DisplayNames([each], { type: "language" }).of(each) ?? each}
          </option>
        ))}
      </select>
    </label>
  );
}

function Shares({ state, close }: { readonly state: ScreenProps["state"]; readonly close: () => void }) {
  const t = useText();
  const offer = share.value;
  const name = `roundtrip-${offer?.name ?? state.screen}`;
  const said = (good: boolean, text: string) => {
    announce(good ? t("action.copied") : t("action.copy_failed"));
    if (good) tell(t("action.copied"));
    if (!good) window.prompt(t("action.copy_failed"), text);
    close();
  };
  const copied = async (text: string) => said(await copy(text), text);
  const saved = () => {
    announce(t("action.saved"));
    tell(t("action.saved"));
    close();
  };
  const frame = () => {
    const source = fullLink();
    const joined = source + (source.includes("?") ? "&" : "?") + "embed=1";
    const safe = joined.replace(/&/g, "&amp;").replace(/"/g, "&quot;");
    return `<iframe src="${safe}" width="100%" height="720" title="Roundtrip" loading="lazy"></iframe>`;
  };
  const picture = offer?.picture;
  return (
    <>
      <button class="ghost" onClick={() => void copied(fullLink())}>
        {t("action.copy_link")}
      </button>
      {offer?.json && (
        <button class="ghost" onClick={() => void copied(JSON.stringify(offer.json?.(), null, 2))}>
          {t("action.copy_json")}
        </button>
      )}
      <button class="ghost" onClick={() => void copied(frame())}>
        {t("action.embed")}
      </button>
      {picture?.() && (
        <button
          class="ghost"
          onClick={() => {
            const found = picture?.();
            if (!found) return;
            png(found)
              .then((blob) => save(`${name}.png`, blob))
              .then(saved, (error: unknown) => {
                console.error(error);
                announce(t("error.data"));
                close();
              });
          }}
        >
          {t("action.png")}
        </button>
      )}
      {picture?.() instanceof SVGSVGElement && (
        <button
          class="ghost"
          onClick={() => {
            const found = picture?.();
            if (found instanceof SVGSVGElement) void drawing(found).then((text) => save(`${name}.svg`, text, "image/svg+xml")).then(saved);
          }}
        >
          {t("action.svg")}
        </button>
      )}
      {offer?.rows && (
        <button
          class="ghost"
          onClick={() => {
            save(`${name}.csv`, csv(offer.rows?.() ?? []), "text/csv");
            saved();
          }}
        >
          {t("action.csv")}
        </button>
      )}
    </>
  );
}
