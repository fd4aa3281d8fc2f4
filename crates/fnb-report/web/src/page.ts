// The page itself: theme, keys, where the reader is, what an address opens.

import { byId } from "./model";

/** What the browser keeps, if it may. */
const kept = {
  get(key: string): string | null {
    try {
      return localStorage.getItem(`fnb-${key}`);
    } catch {
      return null;
    }
  },
  set(key: string, value: string): void {
    try {
      localStorage.setItem(`fnb-${key}`, value);
    } catch {
      // A page without storage forgets: nothing else changes.
    }
  },
};

const THEMES = ["Auto", "Light", "Dark"];

export function page(): void {
  theme();
  reader();
  help();
  copies();
  const open = () => {
    const target = location.hash.length > 1 && !location.hash.includes("=") ? document.getElementById(location.hash.slice(1)) : null;
    for (let at: HTMLElement | null = target; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
  };
  addEventListener("hashchange", open);
  open();
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
}

function theme(): void {
  const button = byId("theme");
  const apply = (name: string) => {
    if (name === "Auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name.toLowerCase();
    button.textContent = name;
    button.setAttribute("aria-label", `Theme: ${name}`);
  };
  const stored = kept.get("theme");
  apply(stored && THEMES.includes(stored) ? stored : "Auto");
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(button.textContent ?? "") + 1) % THEMES.length] as string;
    kept.set("theme", next);
    apply(next);
  });
}

/** Marks the section and the variable that the reader is at. */
function reader(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".side a")];
  const targets = links.map((link) => document.getElementById(link.hash.slice(1)));
  let waiting = false;
  const mark = () => {
    waiting = false;
    const line = 160;
    const isPast = (element: HTMLElement | null) => !!element && element.offsetParent !== null && element.getBoundingClientRect().top <= line;
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    let [section, variable] = [0, -1];
    links.forEach((link, i) => {
      const isSection = link.hash.startsWith("#s-");
      const past = isPast(targets[i] as HTMLElement | null) || (atEnd && isSection);
      if (past && isSection) [section, variable] = [i, -1];
      else if (past) variable = i;
    });
    links.forEach((link, i) => {
      const here = i === section || i === variable;
      if (here === link.hasAttribute("aria-current")) return;
      if (here) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
      const bar = link.closest(".side") as HTMLElement;
      if (here && i === section && bar.scrollWidth > bar.clientWidth) bar.scrollLeft = link.offsetLeft - 60;
    });
  };
  const later = () => {
    if (!waiting) requestAnimationFrame(mark);
    waiting = true;
  };
  addEventListener("scroll", later, { passive: true });
  addEventListener("resize", later);
  mark();
}

/** To the next place in a direction. */
function walk(places: HTMLElement[], direction: number): void {
  const tops = places.map((place) => place.getBoundingClientRect().top);
  const offset = 130;
  const next = direction > 0 ? tops.findIndex((top) => top > offset) : tops.findLastIndex((top) => top < 60);
  const place = places[next];
  if (!place) return;
  if (place instanceof HTMLDetailsElement) place.open = true;
  place.setAttribute("tabindex", "-1");
  place.focus({ preventScroll: true });
  place.scrollIntoView();
}

function help(): void {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "help-title");
  const keys = [
    ["/", "search"],
    ["j, k", "next, previous variable"],
    ["n, p", "next, previous section"],
    ["t", "theme"],
    ["?", "this help"],
    ["Esc", "close"],
  ];
  dialog.innerHTML =
    `<h2 id=help-title>Keys</h2><dl>${keys.map(([key, what]) => `<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`).join("")}</dl>` +
    `<p><label><input type=checkbox id=keys> Keys are on</label></p><button type=button>Close</button>`;
  document.body.append(dialog);
  const box = dialog.querySelector("#keys") as HTMLInputElement;
  box.checked = kept.get("keys") !== "off";
  box.addEventListener("change", () => kept.set("keys", box.checked ? "on" : "off"));
  dialog.querySelector("button")?.addEventListener("click", () => dialog.close());
  byId("help").addEventListener("click", () => dialog.showModal());
  const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
  const variables = () => all("#s-variables > article, #s-variables > details");
  const actions: Record<string, () => void> = {
    "/": () => document.getElementById("search")?.focus(),
    j: () => walk(variables(), 1),
    k: () => walk(variables(), -1),
    n: () => walk(all("main > section"), 1),
    p: () => walk(all("main > section"), -1),
    t: () => byId("theme").click(),
    "?": () => dialog.showModal(),
  };
  addEventListener("keydown", (event) => {
    const inField = (event.target as HTMLElement).closest?.("input,select,textarea,dialog");
    if (inField || event.ctrlKey || event.metaKey || event.altKey || !box.checked) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function copies(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
    button.addEventListener("click", () => {
      const text = byId(button.dataset.copy as string).textContent ?? "";
      const done = () => (button.textContent = "Copied");
      const failed = () => (button.textContent = "Not allowed here: select the text");
      if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, failed);
      else failed();
    });
  }
}
