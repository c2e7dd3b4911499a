/** The list of keys, and the switches that belong to a person and not to a link. */
import { useEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals";
import { shortcuts, type Shortcut } from "./keys";
import type { ScreenProps } from "./state";
import { useText } from "./text";

export const helpOpen = signal(false);

function Row({ each }: { readonly each: Shortcut }) {
  const names = each.shown ? each.shown.split(" ") : [each.key.length === 1 ? each.key.toUpperCase() : each.key];
  return (
    <>
      <dt>
        {names.map((name) => (
          <kbd key={name}>{name}</kbd>
        ))}
      </dt>
      <dd>{each.does}</dd>
    </>
  );
}

export function Help({ state, set }: ScreenProps) {
  const t = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const open = helpOpen.value;
  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    if (open && !element.open) element.showModal();
    if (!open && element.open) element.close();
  }, [open]);
  const listed = shortcuts.value.filter((each) => !each.hidden);
  return (
    <dialog
      class="help"
      ref={dialog}
      aria-labelledby="help-title"
      onClose={() => (helpOpen.value = false)}
      onClick={(event) => event.target === dialog.current && (helpOpen.value = false)}
    >
      {open && (
        <>
          <div class="top">
            <h2 id="help-title">{t("key.title")}</h2>
            <button class="ghost" onClick={() => (helpOpen.value = false)}>
              {t("action.close")} <kbd class="sp">{t("key.name.escape")}</kbd>
            </button>
          </div>
          <p class="small">{t("key.first")}</p>
          <dl>
            {listed.map((each) => (
              <Row key={each.key + each.does} each={each} />
            ))}
          </dl>
          <hr class="rule" />
          <p>
            <label class="switch">
              <input
                type="checkbox"
                role="switch"
                checked={state.shortcuts}
                onChange={(event) => set({ shortcuts: event.currentTarget.checked })}
              />
              {state.shortcuts ? t("shortcuts.on") : t("shortcuts.off")}
            </label>
          </p>
          <p>
            <label class="switch">
              <input
                type="checkbox"
                role="switch"
                checked={state.motion}
                onChange={(event) => set({ motion: event.currentTarget.checked })}
              />
              {t("motion.label")}: {state.motion ? t("motion.on") : t("motion.off")}
            </label>
          </p>
        </>
      )}
    </dialog>
  );
}
