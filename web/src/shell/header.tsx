import { link, type ScreenProps } from "./state";

const tabs: readonly (readonly [string, string])[] = [
  ["journey", "Journey"],
  ["wait", "The wait"],
  ["word", "One word"],
  ["energy", "Energy"],
  ["compare", "Compare"],
  ["facts", "Fact check"],
  ["sheet", "Question sheet"],
];

export function Header({ state }: ScreenProps) {
  return (
    <header class="head">
      <a class="mark" href={link("journey")}>
        Round trip
      </a>
      <nav aria-label="Screens">
        {tabs.map(([screen, title]) => (
          <a key={screen} href={link(screen)} aria-current={state.screen === screen ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
    </header>
  );
}
