/** One quantity to move: a native slider, buttons for one step less and more, and a field for a number. */
import { useRef } from "preact/hooks";
import type { Carrier } from "../core/types";
import { hue } from "../charts/paint";

export interface SliderProps {
  readonly id: string;
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The value as it is written: "4,500 km". */
  readonly text: string;
  /** The value as it is said: "4,500 kilometers". */
  readonly spoken?: string;
  readonly carrier?: Carrier;
  readonly hint?: string;
  readonly less: string;
  readonly more: string;
  readonly onInput: (value: number) => void;
}

export function Slider(props: SliderProps) {
  const { id, label, value, min, max, step, text } = props;
  const range = useRef<HTMLInputElement>(null);
  const held = (next: number) => Math.min(max, Math.max(min, min + Math.round((next - min) / step) * step));
  const give = (next: number) => props.onInput(Number(held(next).toPrecision(12)));
  const part = (Math.min(max, Math.max(min, value)) - min) / (max - min || 1);
  const typed = (event: Event) => {
    const field = event.currentTarget as HTMLInputElement;
    const number = Number(field.value.replace(/[^\d.,-]/g, "").replace(/,/g, ""));
    if (field.value !== text && Number.isFinite(number) && /\d/.test(field.value)) give(number);
    field.value = text;
  };
  return (
    <div class="slider" style={{ "--k": props.carrier ? hue(props.carrier) : "var(--fg)" }}>
      <div class="row">
        <label for={id}>{label}</label>
        <span class="steps">
          <button aria-label={`${label}: ${props.less}`} onClick={() => give(value - step)}>
            −
          </button>
          <input
            class="field"
            type="text"
            inputMode="decimal"
            aria-label={label}
            value={text}
            onFocus={(event) => event.currentTarget.select()}
            onChange={typed}
            onKeyDown={(event) => event.key === "Enter" && typed(event)}
          />
          <button aria-label={`${label}: ${props.more}`} onClick={() => give(value + step)}>
            +
          </button>
        </span>
      </div>
      <input
        ref={range}
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        aria-valuetext={props.spoken ?? text}
        style={{ "--v": `calc(10px + ${part.toFixed(4)} * (100% - 20px))` }}
        onInput={(event) => props.onInput(Number(event.currentTarget.value))}
      />
      {props.hint && <p class="small hint">{props.hint}</p>}
    </div>
  );
}
