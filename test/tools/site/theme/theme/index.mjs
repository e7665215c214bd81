import { useData, useRoute, withBase } from "vitepress";
import Theme from "vitepress/theme-without-fonts";
import { nextTick, onMounted, watch } from "vue";
import "./style.css";

export default {
  extends: Theme,
  setup() {
    const { isDark } = useData();
    const route = useRoute();
    onMounted(() => draw(isDark.value));
    watch([() => route.path, isDark], () => nextTick(() => draw(isDark.value)));
  },
};

let loading;

/** The drawing library is large: only pages with a diagram load it. */
function load() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = withBase("/mermaid.js");
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
}

async function draw(isDark) {
  const places = [...document.querySelectorAll(".mermaid")];
  if (places.length === 0) return;
  await load();
  const theme = isDark ? "dark" : "neutral";
  globalThis.mermaid.initialize({ startOnLoad: false, theme });
  for (const [index, place] of places.entries()) {
    const { svg } = await globalThis.mermaid.render(
      `diagram-${index}`,
      decodeURIComponent(place.dataset.source),
    );
    place.innerHTML = svg;
    // A wide one is scrolled: shrunk to a phone's width, its labels cannot be read.
    const { style, viewBox } = place.firstElementChild;
    style.minWidth = `${viewBox.baseVal.width * 0.75}px`;
  }
}
