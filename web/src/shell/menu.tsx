/** A button that opens a short list under it. Esc and a click elsewhere close it; focus comes back to the button. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export interface MenuProps {
  readonly label: ComponentChildren;
  readonly class?: string;
  readonly children: (close: () => void) => ComponentChildren;
}

export function Menu({ label, class: name = "", children }: MenuProps) {
  const [open, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!open) return;
    const outside = (event: Event) => {
      if (event.target instanceof Node && !place.current?.contains(event.target)) setOpen(false);
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key === "Escape") close();
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    document.addEventListener("keydown", escape);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
      document.removeEventListener("keydown", escape);
    };
  }, [open]);
  return (
    <div class={`menu ${name}`} ref={place}>
      <button ref={button} class="ghost" aria-expanded={open} onClick={() => setOpen(!open)}>
        {label}
      </button>
      {open && <div class="sheet">{children(close)}</div>}
    </div>
  );
}
