/** The page while something loads, and when something failed: what happened, and what can be done. */
import { Component, type ComponentChildren } from "preact";
import { useText } from "./text";

export function Loading() {
  const t = useText();
  return (
    <p class="notice small" role="status">
      {t("app.loading")}
    </p>
  );
}

export function Failure({ error }: { readonly error: unknown }) {
  const t = useText();
  const text = error instanceof Error ? error.message : String(error);
  return (
    <div class="notice" role="alert">
      <p class="prose">{t("error.data")}</p>
      <p class="small">{text}</p>
      <p>
        <button class="ghost" onClick={() => location.reload()}>
          {t("action.again")}
        </button>
      </p>
    </div>
  );
}

/** Catches what a screen throws, so that the header and the other screens stay usable. */
export class Guard extends Component<{ readonly children: ComponentChildren; readonly at: string }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ error });
  }

  override componentDidUpdate(before: { readonly at: string }): void {
    if (before.at !== this.props.at && this.state.error !== null) this.setState({ error: null });
  }

  override render() {
    return this.state.error === null ? this.props.children : <Failure error={this.state.error} />;
  }
}

/** What stands open for most readers and is folded for some. */
export function Folded({ closed, title, children }: { readonly closed: boolean; readonly title: string; readonly children: ComponentChildren }) {
  return closed ? (
    <details class="twin">
      <summary>{title}</summary>
      {children}
    </details>
  ) : (
    <>{children}</>
  );
}
