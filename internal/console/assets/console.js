// The console works without this script. With it, pages follow what happens, and the way
// back from an argument is shown where the reader is.
"use strict";
(() => {
  const base = document.body.dataset.base;
  const main = document.getElementById("main");
  document.documentElement.classList.add("js");
  const say = (text) => { document.getElementById("status").textContent = text; };

  // A link to sign in has its token behind the #, which is never sent to a server or
  // written to a log.
  const login = document.getElementById("login");
  if (login) {
    const enter = () => {
      if (location.hash.length < 2) return;
      document.getElementById("token").value = location.hash.slice(1);
      history.replaceState(null, "", location.pathname);
      login.submit();
    };
    addEventListener("hashchange", enter);
    enter();
    return;
  }

  document.querySelector("nav [aria-current=page]")?.scrollIntoView({ block: "nearest", inline: "center" });

  const load = async (url) => {
    const answer = await fetch(url, { headers: { Accept: "text/html" } });
    if (answer.redirected && new URL(answer.url).pathname === base + "login") location.href = base + "login";
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  };

  // What is open and what has the focus stays so when a part of the page is replaced.
  const replace = (old, fresh) => {
    const open = new Set([...old.querySelectorAll("details[id][open]")].map((d) => d.id));
    const shut = new Set([...old.querySelectorAll("details[id]:not([open])")].map((d) => d.id));
    const focus = old.contains(document.activeElement) ? document.activeElement.id || document.activeElement.getAttribute("href") || document.activeElement.value : null;
    fresh.querySelectorAll("details[id]").forEach((d) => { d.open = open.has(d.id) || (d.open && !shut.has(d.id)); });
    old.replaceWith(fresh);
    if (focus) [...fresh.querySelectorAll("a, button, input, summary")].find((e) => e.id === focus || e.getAttribute("href") === focus || e.value === focus)?.focus({ preventScroll: true });
  };

  const refresh = async (topic) => {
    const page = await load(location.href);
    document.title = page.title;
    for (const old of document.querySelectorAll("[data-topic]")) {
      const fresh = page.getElementById(old.id);
      if (old.dataset.topic === topic && fresh) replace(old, fresh);
    }
    if (topic === "inbox") say(document.getElementById("waiting")?.textContent.trim() || "nothing waits");
  };

  const topics = [...new Set([...document.querySelectorAll("[data-topic]")].map((e) => e.dataset.topic))];
  let source = null;
  const follow = () => {
    if (source || document.hidden || !topics.length) return;
    source = new EventSource(base + "live?" + new URLSearchParams(topics.map((t) => ["topic", t])));
    source.addEventListener("state", (e) => {
      const at = e.data.indexOf(" "), version = e.data.slice(0, at), topic = e.data.slice(at + 1);
      const stale = [...document.querySelectorAll("[data-topic]")].some((d) => d.dataset.topic === topic && d.dataset.version !== version);
      if (stale) refresh(topic);
    });
    // A browser comes back by itself after a broken stream, and not after one that was refused.
    source.addEventListener("error", () => {
      if (source?.readyState !== EventSource.CLOSED) return;
      source = null;
      setTimeout(follow, 5000);
    });
  };
  // A browser has few connections to one server: pages that nobody looks at need none.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { source?.close(); source = null; } else { follow(); }
  });
  follow();

  const swap = async (url, show) => {
    const page = await load(url), fresh = page.getElementById("timeline"), old = document.getElementById("timeline");
    if (!fresh || !old) { location.href = url; return; }
    const top = scrollY;
    document.title = page.title;
    replace(old, fresh);
    scrollTo({ top, behavior: "instant" });
    const target = document.getElementById(show || "");
    if (target) target.scrollIntoView({ block: "center" });
    const steps = document.querySelectorAll("#way .steps > li").length;
    if (steps) say("Where it came from: " + steps + (steps === 1 ? " step" : " steps"));
  };
  main.addEventListener("click", (e) => {
    const link = e.target.closest("a[data-swap]");
    if (!link || e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
    e.preventDefault();
    history.pushState(null, "", link.href);
    swap(link.href, link.dataset.show);
  });
  // The playground decides at every keystroke.
  const play = document.querySelector("form[data-watch]");
  if (play) {
    let asked = 0, at = "", timer, running = false;
    // One request at a time; what was written meanwhile is decided next.
    const decide = async () => {
      const mine = ++asked;
      if (running) return;
      running = true;
      try {
        const form = new URLSearchParams(new FormData(play));
        form.set("at", at);
        const answer = await fetch(play.action, { method: "POST", body: form });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById(play.dataset.watch), old = document.getElementById(play.dataset.watch);
        if (mine === asked && fresh && old) replace(old, fresh);
      } finally {
        running = false;
        if (mine !== asked) decide();
      }
    };
    play.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(decide, 150); });
    play.addEventListener("submit", (e) => {
      if (e.submitter?.hasAttribute("formaction")) return;
      e.preventDefault();
      if (e.submitter?.name === "at") at = e.submitter.value;
      decide();
    });
    const file = play.querySelector("input[data-into]");
    if (file) file.parentElement.hidden = false;
    file?.addEventListener("change", async () => {
      const into = document.getElementById(file.dataset.into);
      into.value = await file.files[0]?.text() ?? into.value;
      into.dispatchEvent(new Event("input", { bubbles: true }));
    });
    document.getElementById("sample")?.addEventListener("change", (e) => e.target.form.submit());
  }

  addEventListener("popstate", () => { if (document.getElementById("timeline")) swap(location.href); });
  addEventListener("keydown", (e) => {
    if (e.key === "Escape") document.querySelector("#way .close")?.click();
  });

  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const spell = (s) => {
    if (s < 1) return "now";
    const [name, size] = units.find(([n, u]) => s >= (n === "day" ? 2 * u : u));
    const n = Math.floor(s / size);
    return n + " " + name + (n === 1 ? "" : "s");
  };
  setInterval(() => {
    for (const t of document.querySelectorAll("time[data-rel]")) {
      const d = (Date.now() - Date.parse(t.dateTime)) / 1000;
      t.textContent = spell(t.dataset.rel === "ago" ? d : -d);
    }
  }, 10000);
})();
