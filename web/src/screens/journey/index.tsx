import type { ScreenProps } from "../../shell/state";

export default function Screen(_props: ScreenProps) {
  return (
    <div class="wrap">
      <h1>journey</h1>
    </div>
  );
}
